//! The player with a model of a decoder, under random user actions. Whatever is requested in whatever order, and
//! however late the frames arrive: in the end, the screen shows what a plain seek there gives, and no frame of an older
//! seek is ever shown.

use std::collections::VecDeque;

use proptest::prelude::*;

use super::*;
use crate::FrameIndex;
use crate::playback::phase::{Phase, Transport};

/// An event that the decoder delivers.
enum Event {
    Frame(Frame),
    Earlier { serial: u64, before_ticks: i64, frames: Vec<Frame> },
    End { serial: u64 },
}

/// The current work of the decoder.
#[derive(Clone, Copy)]
enum Work {
    Rest,
    /// The request has not led to its first frame yet.
    Begin(SeekRequest),
    /// It delivers frames from `next` on; before `sparse_until`, it leaves out two of three.
    Onward {
        next: usize,
        sparse_until: f64,
    },
}

/// A decoder of a video whose frames last one to three ticks and form groups of equal size.
struct Model {
    pts: Vec<i64>,
    group: usize,
    /// Turns until the first frame of each request, used in rotation.
    delays: Vec<u32>,
    /// One in this many requests for earlier frames fails.
    fails_each: usize,
    fetched: usize,
    serial: u64,
    delay: u32,
    work: Work,
    queue: VecDeque<Event>,
    /// Events that were queued when a later request arrived.
    stale: Vec<Event>,
}

impl Model {
    fn last(&self) -> usize {
        self.pts.len() - 1
    }

    fn end_secs(&self) -> f64 {
        (self.pts[self.last()] + 1) as f64 * FRAME_SECS
    }

    /// Returns the frame that is on screen at a time.
    fn at(&self, secs: f64) -> usize {
        self.up_to((secs / FRAME_SECS + 1e-3).floor() as i64)
    }

    /// Returns the last frame whose timestamp is not above this one, or the first.
    fn up_to(&self, ticks: i64) -> usize {
        self.pts.partition_point(|pts| *pts <= ticks).saturating_sub(1)
    }

    fn find(&self, target: SeekTarget) -> usize {
        match target {
            SeekTarget::Time(secs) => self.at(secs),
            SeekTarget::Number(number) => (number as usize).min(self.last()),
            SeekTarget::Timestamp(ticks) => self.up_to(ticks),
            SeekTarget::Before(ticks) => self.up_to(ticks - 1),
            SeekTarget::End => self.last(),
        }
    }

    /// Creates a frame. If it was decoded quickly, its sample is wrong. Frames after a seek are not numbered.
    fn frame(&self, at: usize, is_quick: bool) -> Frame {
        let next = self.pts.get(at + 1).copied().unwrap_or(self.pts[at] + 1);
        let mut frame = frame(self.serial, self.pts[at] as u64);
        frame.picture = test_data::gray((1, 1), |_, _| u8::from(is_quick)).picture;
        frame.facts.duration_secs = (next - self.pts[at]) as f64 * FRAME_SECS;
        frame.facts.index = (self.serial == 0).then_some(at as u64);
        frame
    }

    fn frames(&self, range: std::ops::Range<usize>) -> Vec<Frame> {
        range.map(|at| self.frame(at, false)).collect()
    }

    fn obey(&mut self, request: SeekRequest) {
        let count = self.serial as usize;
        self.delay = self.delays[count % self.delays.len()];
        self.stale.extend(self.queue.drain(..));
        self.serial = request.serial;
        self.work = match (request.seek, self.work) {
            (Seek::Towards(secs), Work::Onward { next, .. }) => {
                // Continue from the last keyframe on the way.
                let key = self.at(secs) / self.group * self.group;
                Work::Onward { next: next.max(key), sparse_until: secs }
            }
            _ => Work::Begin(request),
        };
    }

    /// Works for one turn.
    fn work(&mut self) {
        if self.delay > 0 {
            self.delay -= 1;
            return;
        }
        match self.work {
            Work::Rest => {}
            Work::Begin(request) => self.begin(request),
            Work::Onward { next, .. } if next > self.last() => {
                self.queue.push_back(Event::End { serial: self.serial });
                self.work = Work::Rest;
            }
            Work::Onward { next, sparse_until } => {
                self.queue.push_back(Event::Frame(self.frame(next, false)));
                let is_sparse = (self.pts[next] as f64) * FRAME_SECS < sparse_until;
                let after = if is_sparse { (next + 3).min(self.at(sparse_until).max(next + 1)) } else { next + 1 };
                self.work = Work::Onward { next: after, sparse_until };
            }
        }
    }

    /// Carries out a request up to its first frame.
    fn begin(&mut self, request: SeekRequest) {
        let serial = request.serial;
        self.work = Work::Rest;
        match request.seek {
            Seek::Exact(target) => {
                let at = self.find(target);
                let frame = self.frame(at, false);
                let before_ticks = frame.pts_ticks;
                self.queue.push_back(Event::Frame(frame));
                let passed = self.frames((at / self.group * self.group).max(at.saturating_sub(3))..at);
                self.queue.push_back(Event::Earlier { serial, before_ticks, frames: passed });
                self.work = Work::Onward { next: at + 1, sparse_until: 0.0 };
            }
            Seek::Near(secs) => {
                let at = self.at(secs);
                let key = at / self.group * self.group;
                self.queue.push_back(Event::Frame(self.frame(at.min(key + serial as usize % 3), true)));
            }
            Seek::Back { target, budget } => {
                self.fetched += 1;
                let (end, before_ticks) = match target {
                    SeekTarget::Before(ticks) => (self.pts.partition_point(|pts| *pts < ticks), ticks),
                    target => (self.find(target) + 1, i64::MAX),
                };
                let group = end.saturating_sub(1) / self.group * self.group;
                if before_ticks < i64::MAX && self.fetched.is_multiple_of(self.fails_each) {
                    self.queue.push_back(Event::End { serial });
                } else {
                    let frames = self.frames(group.max(end.saturating_sub(budget.max(1)))..end);
                    self.queue.push_back(Event::Earlier { serial, before_ticks, frames });
                }
            }
            Seek::Keyframe(_) | Seek::Towards(_) => panic!("{request:?} is nothing to ask for now"),
        }
    }
}

/// A user action, or another event of a trial.
#[derive(Debug, Clone)]
enum Act {
    SeekTo(f64),
    SeekBy(f64),
    SeekToFrame(u64),
    ScrubTo(f64),
    ScrubBy(f64),
    Settle,
    Step(bool),
    /// A number of steps, with two turns after each.
    Walk(u32, bool),
    TogglePause,
    Speed(f64),
    /// A number of decoder turns and ticks, each a number of milliseconds after the last.
    Run(u32, u64),
    /// Frames of older requests arrive after all.
    Stale,
    /// The list of all frames arrives, or is withdrawn.
    List(bool),
    /// Waits until everything requested is on screen.
    Finish,
}

fn act() -> impl Strategy<Value = Act> {
    prop_oneof![
        2 => (-0.1..6.0).prop_map(Act::SeekTo),
        1 => (-2.0..2.0).prop_map(Act::SeekBy),
        1 => (0_u64..75).prop_map(Act::SeekToFrame),
        3 => (-0.1..6.0).prop_map(Act::ScrubTo),
        // Also to the exact time of a frame.
        1 => (0_u64..140).prop_map(|ticks| Act::ScrubTo(ticks as f64 * FRAME_SECS)),
        3 => (-0.3..0.3).prop_map(Act::ScrubBy),
        2 => Just(Act::Settle),
        4 => any::<bool>().prop_map(Act::Step),
        2 => (2_u32..20, any::<bool>()).prop_map(|(steps, forward)| Act::Walk(steps, forward)),
        2 => Just(Act::TogglePause),
        1 => prop_oneof![Just(0.5), Just(1.0), Just(8.0)].prop_map(Act::Speed),
        8 => (1_u32..12, prop_oneof![Just(1_u64), Just(10), Just(40), Just(400)]).prop_map(|(n, ms)| Act::Run(n, ms)),
        2 => Just(Act::Stale),
        1 => any::<bool>().prop_map(Act::List),
        2 => Just(Act::Finish),
    ]
}

/// A player, the model, and the expected outcome.
struct Trial {
    player: Player,
    model: Model,
    now: Instant,
    /// Position of the frame that the actions lead to; `None` if it depends on when frames arrive.
    expected: Option<usize>,
    /// The frame on screen.
    shown: Option<Frame>,
    /// Serial of the last seek that made all frames before it stale.
    floor: u64,
    has_list: bool,
}

impl Trial {
    fn send(&mut self, request: Option<SeekRequest>) {
        let Some(request) = request else { return };
        if matches!(self.player.phase, Phase::Seeking(_)) {
            self.floor = request.serial;
        }
        self.model.obey(request);
    }

    fn give(&mut self, event: Event) {
        match event {
            Event::Frame(frame) => self.player.push(frame),
            Event::Earlier { serial, before_ticks, frames } => self.player.keep(serial, before_ticks, frames),
            Event::End { serial } => self.player.end_of_stream(serial),
        }
    }

    fn turn(&mut self, milliseconds: u64) {
        self.now += Duration::from_millis(milliseconds);
        self.model.work();
        while self.player.wants_frames(self.now)
            && let Some(event) = self.model.queue.pop_front()
        {
            self.give(event);
        }
        let is_playing = matches!(self.player.transport, Transport::Playing);
        let is_steady = matches!(self.player.phase, Phase::Steady);
        let tick = self.player.tick(self.now);
        if let Some(frame) = tick.show {
            assert!(frame.serial >= self.floor, "a frame of seek {} after seek {}", frame.serial, self.floor);
            if let Some(before) = self.shown.as_ref().filter(|_| is_playing && is_steady) {
                assert!(before.pts_ticks < frame.pts_ticks, "{} is played after {}", frame.pts_ticks, before.pts_ticks);
            }
            self.shown = Some(frame);
        }
        if is_playing {
            self.expected = None;
        }
        self.send(tick.seek);
        let position = self.shown.as_ref().map(|frame| (self.model.up_to(frame.pts_ticks) as u64, frame.index));
        let number = position.and_then(|(at, counted)| (self.has_list || counted.is_some()).then_some(at));
        assert_eq!(self.player.frame_index(), number);
    }

    fn lead_to(&mut self, secs: f64) {
        let secs = if secs > 0.0 { secs.min(self.model.end_secs()) } else { 0.0 };
        self.expected = Some(self.model.at(secs));
    }

    fn act(&mut self, act: &Act) {
        let now = self.now;
        let request = match *act {
            Act::SeekTo(secs) => {
                self.lead_to(secs);
                self.player.seek_to(secs)
            }
            Act::SeekBy(secs) => {
                self.lead_to(self.player.destination_secs() + secs);
                self.player.seek_by(secs)
            }
            Act::SeekToFrame(number) => {
                self.expected = Some((number as usize).min(self.model.last()));
                self.player.seek_to_frame(number)
            }
            Act::ScrubTo(secs) => {
                self.lead_to(secs);
                self.player.scrub_to(secs, now)
            }
            Act::ScrubBy(secs) => {
                self.lead_to(self.player.destination_secs() + secs);
                self.player.scrub_by(secs, now)
            }
            Act::Settle => self.player.settle(now),
            Act::Step(forward) => {
                if !self.player.is_scrubbing() {
                    // At the ends, steps that are abandoned are not balanced by steps the other way.
                    let inside = self.expected.filter(|at| if forward { *at < self.model.last() } else { *at > 0 });
                    self.expected = inside.map(|at| if forward { at + 1 } else { at - 1 });
                }
                self.player.step(forward, now)
            }
            Act::Walk(steps, forward) => {
                for _ in 0..steps {
                    self.act(&Act::Step(forward));
                    self.act(&Act::Run(2, 10));
                }
                None
            }
            Act::TogglePause => {
                let gives_up_steps = matches!(self.player.transport, Transport::Paused { steps } if steps != 0);
                if gives_up_steps || self.player.has_ended() {
                    self.expected = None;
                }
                self.player.toggle_pause(now)
            }
            Act::Speed(speed) => {
                self.player.set_speed(speed, now);
                None
            }
            Act::Run(turns, milliseconds) => {
                (0..turns).for_each(|_| self.turn(milliseconds));
                None
            }
            Act::Stale => {
                for event in std::mem::take(&mut self.model.stale) {
                    self.give(event);
                }
                None
            }
            Act::List(comes) => {
                let index = FrameIndex { pts: self.model.pts.clone(), keys: Vec::new() };
                self.player.set_frame_index(comes.then(|| Arc::new(index)));
                self.has_list = comes;
                None
            }
            Act::Finish => {
                self.finish();
                None
            }
        };
        self.send(request);
    }

    /// Ends a scrub, pauses, and waits until everything requested is on screen.
    fn finish(&mut self) {
        let request = self.player.settle(self.now);
        self.send(request);
        if !self.player.is_paused() && !self.player.has_ended() {
            let request = self.player.toggle_pause(self.now);
            self.send(request);
        }
        let mut turns = 0;
        while self.player.is_busy() {
            self.turn(10);
            turns += 1;
            assert!(turns < 2000, "still busy: {:?}", self.player);
        }
        let shown = self.shown.as_ref().expect("a frame is on screen");
        let at = self.model.up_to(shown.pts_ticks);
        assert_eq!(shown.picture.plane(0).bytes, [0], "a quick picture of frame {at} stays");
        let expected = *self.expected.get_or_insert(at);
        assert_eq!(at, expected, "another frame than was asked for: {:?}", self.player);
    }
}

fn trial(steps: &[i64], group: usize, delays: Vec<u32>, cache_frames: usize, fails_each: usize) -> Trial {
    let mut pts = vec![0];
    for step in steps {
        pts.push(pts[pts.len() - 1] + step);
    }
    let work = Work::Onward { next: 0, sparse_until: 0.0 };
    let (queue, stale) = (VecDeque::new(), Vec::new());
    let model = Model { pts, group, delays, fails_each, fetched: 0, serial: 0, delay: 0, work, queue, stale };
    let options = PlayerOptions { paused: true, cache_bytes: cache_frames, ..options(Some(model.end_secs()), false) };
    Trial {
        player: Player::new(options),
        model,
        now: Instant::now(),
        expected: Some(0),
        shown: None,
        floor: 0,
        has_list: false,
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(3000) })]

    #[test]
    fn last_request_is_on_screen_in_the_end(
        steps in prop::collection::vec(1_i64..4, 5..70),
        group in 1_usize..25,
        delays in prop::collection::vec(0_u32..40, 1..6),
        cache_frames in prop_oneof![Just(0_usize), 4_usize..12, Just(60)],
        fails_each in 1_usize..8,
        acts in prop::collection::vec(act(), 1..60),
    ) {
        let mut trial = trial(&steps, group, delays, cache_frames, fails_each);
        for act in &acts {
            trial.act(act);
        }
        trial.finish();
    }
}
