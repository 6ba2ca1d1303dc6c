//! Sound, recorded from a PulseAudio server of the test's own: which tone is heard, when, and how loud.

use std::io::Read;
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Mutex};
use std::time::{Duration, SystemTime};

use tempfile::TempDir;

use crate::program::Program;
use crate::sender::{Sender, free_port};
use crate::wait::{PATIENCE, output_of, until};

const RATE: usize = 48_000;

/// What was recorded: samples, and for each piece when it had arrived and how many there were by then.
#[derive(Default)]
struct Recorded {
    samples: Vec<f32>,
    arrivals: Vec<(SystemTime, usize)>,
}

/// A sound server with a device that nobody hears, and a recorder of what it plays.
struct Server {
    folder: Option<TempDir>,
    server: Child,
    recorder: Child,
    recorded: Arc<Mutex<Recorded>>,
}

impl Server {
    fn start() -> Self {
        Self::start_in(tempfile::tempdir().expect("a temporary folder"))
    }

    fn start_in(folder: TempDir) -> Self {
        let socket = folder.path().join("native");
        let quiet = |command: &mut Command| {
            command.env("HOME", folder.path()).env("XDG_RUNTIME_DIR", folder.path()).stderr(Stdio::null());
        };
        let mut server = Command::new("pulseaudio");
        quiet(&mut server);
        let listen = format!("module-native-protocol-unix auth-anonymous=1 socket={}", socket.display());
        server.args(["-n", "--exit-idle-time=-1", "--daemonize=no", "-L", &listen]);
        server.args(["-L", "module-null-sink sink_name=null rate=48000"]);
        let server = server.spawn().expect("pulseaudio is installed; scripts/setup does that");
        until("the sound server", PATIENCE, || socket.exists().then_some(()));
        let mut recorder = Command::new("parec");
        quiet(&mut recorder);
        recorder.env("PULSE_SERVER", format!("unix:{}", socket.display()));
        recorder.args("-d null.monitor --raw --format=float32le --rate=48000 --channels=1 --latency-msec=5".split(' '));
        let mut recorder =
            recorder.stdout(Stdio::piped()).spawn().expect("parec is installed; scripts/setup does that");
        let recorded = Arc::new(Mutex::new(Recorded::default()));
        let mut output = recorder.stdout.take().expect("it has an output");
        let taken = Arc::clone(&recorded);
        std::thread::spawn(move || {
            let (mut bytes, mut rest) = ([0; 4096], Vec::new());
            while let Ok(count @ 1..) = output.read(&mut bytes) {
                rest.extend_from_slice(&bytes[..count]);
                let whole = rest.len() / 4 * 4;
                let mut recorded = taken.lock().expect("nobody panics");
                let samples =
                    rest[..whole].chunks_exact(4).map(|four| f32::from_le_bytes(four.try_into().expect("four")));
                recorded.samples.extend(samples);
                let known = recorded.samples.len();
                recorded.arrivals.push((SystemTime::now(), known));
                rest.drain(..whole);
            }
        });
        Self { folder: Some(folder), server, recorder, recorded }
    }

    /// Takes the device away, and returns where it was.
    fn stop(mut self) -> TempDir {
        self.folder.take().expect("it is there until the end")
    }

    fn play(&self, arguments: &[&str]) -> Program {
        let folder = self.folder.as_ref().expect("it is there until the end");
        let address = format!("unix:{}", folder.path().join("native").display());
        Program::start_in_real_time_where(arguments, ("PULSE_SERVER", &address))
    }

    /// Lets the program play for half a second, and returns how strong a tone of this many hertz was at the end.
    fn strength(&self, program: &Program, hertz: f64) -> f64 {
        program.pass(Duration::from_millis(500));
        let recorded = self.recorded.lock().expect("nobody panics");
        let last = &recorded.samples[recorded.samples.len().saturating_sub(RATE / 5)..];
        let turn = |at: usize| std::f64::consts::TAU * hertz * at as f64 / RATE as f64;
        let part = |wave: fn(f64) -> f64| {
            last.iter().enumerate().map(|(at, sample)| f64::from(*sample) * wave(turn(at))).sum::<f64>()
        };
        2.0 * part(f64::sin).hypot(part(f64::cos)) / last.len() as f64
    }

    /// Lets the program play for two seconds, and returns how far each white picture that was drawn is from the next
    /// click, in seconds, in order. The first picture after a gap of a second is white, and so is each a second later.
    fn apart(&self, program: &Program) -> Vec<f64> {
        program.pass(Duration::from_secs(2));
        let (log, clicks) = (program.log(), self.clicks());
        let drawn = log.lines().filter_map(|line| {
            let (place, at) = line.split_once("drawn: ")?.1.split_once(" at ")?;
            Some((place.parse::<f64>().ok()?, at.parse::<f64>().ok()?))
        });
        let (mut first, mut last) = (0.0, 0.0);
        let mut white: Vec<(f64, f64)> = Vec::new();
        for (place, at) in drawn {
            if place > last + 1.0 {
                first = place;
            }
            last = place;
            let since: f64 = place - first;
            if since > 0.5 && (since - since.round()).abs() < 1e-3 {
                white.push((place, at));
            }
        }
        white.dedup_by_key(|(place, _)| *place);
        let apart = |at: f64| clicks.iter().map(|click| (click - at).abs()).fold(f64::INFINITY, f64::min);
        let mut all: Vec<f64> = white.iter().map(|(_, at)| apart(*at)).collect();
        all.sort_by(f64::total_cmp);
        all
    }

    /// Returns when each click was heard, in seconds since 1970: sound is known not to arrive before it is played.
    fn clicks(&self) -> Vec<f64> {
        let recorded = self.recorded.lock().expect("nobody panics");
        let since = |time: &SystemTime| time.duration_since(SystemTime::UNIX_EPOCH).expect("after 1970").as_secs_f64();
        let begin = |(time, known): &(SystemTime, usize)| since(time) - *known as f64 / RATE as f64;
        let begin = recorded.arrivals.iter().map(begin).fold(f64::INFINITY, f64::min);
        let mut clicks: Vec<usize> = Vec::new();
        for (at, _) in recorded.samples.iter().enumerate().filter(|(_, sample)| sample.abs() > 0.2) {
            if clicks.last().is_none_or(|last| at - last > RATE / 10) {
                clicks.push(at);
            }
        }
        clicks.into_iter().map(|at| begin + at as f64 / RATE as f64).collect()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        for process in [&mut self.recorder, &mut self.server] {
            let _ = process.kill();
            let _ = process.wait();
        }
    }
}

/// Makes a clip from FFmpeg's sources.
fn clip_of(sources: &str) -> tempfile::NamedTempFile {
    let clip = tempfile::Builder::new().suffix(".mkv").tempfile().expect("a temporary file");
    let mut command = Command::new("ffmpeg");
    command.args(["-v", "error", "-y", "-f", "lavfi", "-i"]).args(sources.split_whitespace()).arg(clip.path());
    output_of(&mut command, PATIENCE).unwrap_or_else(|error| panic!("no clip: {error}"));
    clip
}

#[test]
fn clicks_are_heard_with_their_pictures() {
    let server = Server::start();
    let clip = clip_of(
        "testsrc2=s=320x180:r=25:d=120,drawbox=enable='eq(mod(n,25),0)':color=white:t=fill \
         -f lavfi -i aevalsrc='if(lt(mod(t,1),0.002),0.9,0)':s=48000:d=120 -c:a pcm_s16le -g 25",
    );
    let program = server.play(&[clip.path().to_str().expect("plain")]);
    program.pass(Duration::from_secs(3));
    program.key("shift+Right");
    // A machine at work draws late, and is given time. How exact it is, is measured elsewhere, on an idle one.
    until("six clicks with their pictures", PATIENCE, || {
        let all = server.apart(&program);
        (all.len() >= 6 && all[all.len() / 2] < 0.1).then_some(())
    });
    program.quit_with("q");
}

#[test]
fn a_live_source_is_heard_with_its_pictures_while_they_are_the_newest() {
    let server = Server::start();
    let address = format!("udp://127.0.0.1:{}", free_port());
    let program = server.play(&[&address]);
    let sources = "-re -f lavfi -i testsrc2=s=320x180:r=25,drawbox=enable='eq(mod(n,25),0)':color=white:t=fill -re -f lavfi \
                   -i aevalsrc='if(lt(mod(t,1),0.002),0.9,0)':s=48000 -c:v libx264 -preset ultrafast -tune zerolatency \
                   -g 25 -c:a mp2 -b:a 256k -f mpegts";
    let sender = Sender::raw(sources, &address);
    let is_heard = |what: &str| {
        let before = server.apart(&program).len();
        until(what, PATIENCE, || {
            let all = server.apart(&program);
            (all.len() >= before + 5 && all[all.len() / 2] < 0.1).then_some(())
        });
    };
    is_heard("clicks of the sender with their pictures");
    drop(sender);
    program.after(|| program.pass(Duration::from_secs(4)), "no signal");
    let _second = Sender::raw(sources, &address);
    is_heard("clicks of the second sender");
    // What has passed is shown in silence.
    program.key("space");
    program.pass(Duration::from_secs(2));
    let clicks = server.clicks().len();
    program.pass(Duration::from_secs(3));
    assert_eq!(server.clicks().len(), clicks);
    program.quit_with("q");
}

#[test]
fn the_chosen_track_is_heard_as_loud_as_chosen_and_only_while_it_plays() {
    let server = Server::start();
    let clip = clip_of(
        "testsrc2=s=320x180:r=25:d=300 -f lavfi -i sine=f=440:d=300:r=48000 -f lavfi -i sine=f=1000:d=300:r=44100 \
         -map 0 -map 1 -map 2 -c:a pcm_s16le",
    );
    let program = server.play(&[clip.path().to_str().expect("plain"), "--volume", "100"]);
    program.pass(Duration::from_secs(1));
    // FFmpeg's tones have an eighth of full scale, and one channel is played by two.
    let full = 0.125 * std::f64::consts::FRAC_1_SQRT_2;
    // A machine at work may stutter at first.
    let is = |hertz: f64, wanted: f64| {
        until(&format!("{wanted} of {hertz} Hz"), PATIENCE, || {
            ((server.strength(&program, hertz) / full - wanted).abs() < 0.03).then_some(())
        });
    };
    is(440.0, 1.0);
    is(1000.0, 0.0);
    program.after(|| program.key("ctrl+j"), "note: volume 95 %");
    is(440.0, 0.95_f64.powi(3));
    program.after(|| program.key("ctrl+a"), "note: sound off");
    is(440.0, 0.0);
    program.after(|| program.key("ctrl+k"), "note: volume 100 %");
    is(440.0, 1.0);
    program.after(|| program.key("ctrl+e"), "note: sound track 2 of 2: pcm_s16le, 44.1 kHz, mono");
    program.pass(Duration::from_millis(500));
    is(1000.0, 1.0);
    program.after(|| program.key("space"), "key: TogglePause");
    is(1000.0, 0.0);
    program.key("space");
    is(1000.0, 1.0);
    program.after(|| program.key("braceright"), "note: speed");
    is(1000.0, 0.0);
    program.key("BackSpace");
    program.after(|| program.key("ctrl+e"), "note: no sound");
    is(1000.0, 0.0);
    program.quit_with("q");
}

#[test]
fn a_device_that_is_taken_away_and_comes_back_is_played_on_again() {
    let server = Server::start();
    let clip = clip_of("testsrc2=s=320x180:r=25:d=300 -f lavfi -i sine=f=440:d=300:r=48000 -c:a pcm_s16le");
    let program = server.play(&[clip.path().to_str().expect("plain"), "--volume", "100"]);
    let is_heard = |server: &Server| {
        until("the tone", PATIENCE, || (server.strength(&program, 440.0) > 0.05).then_some(()));
    };
    is_heard(&server);
    let folder = server.stop();
    let _ = std::fs::remove_file(folder.path().join("native"));
    // The pictures go on by the steady clock.
    let place = |log: &str| {
        let drawn =
            log.lines().filter_map(|line| line.split_once("drawn: ")?.1.split_once(" at ")?.0.parse::<f64>().ok());
        drawn.reduce(|_, last| last).expect("it draws")
    };
    let before = place(&program.log());
    program.pass(Duration::from_secs(3));
    let apart = place(&program.log()) - before - 3.0;
    assert!(apart.abs() < 1.0, "{apart} s");
    let server = Server::start_in(folder);
    is_heard(&server);
    program.quit_with("q");
}

#[test]
fn without_a_device_the_sound_takes_no_time() {
    let clip = clip_of("testsrc2=s=64x48:r=1:d=60 -f lavfi -i sine=f=440:d=60:r=48000 -c:a pcm_s16le");
    let name = clip.path().to_str().expect("plain");
    let taken = |track: &str| {
        let nowhere = ("PULSE_SERVER", "unix:/nowhere/native");
        let program = Program::start_in_real_time_where(&[name, "--audio-track", track], nowhere);
        program.pass(Duration::from_secs(2));
        let before = program.processor_seconds();
        // A device is looked for again after five seconds.
        program.pass(Duration::from_secs(9));
        let taken = program.processor_seconds() - before;
        program.quit_with("q");
        taken
    };
    let (without, with) = (taken("no"), taken("1"));
    assert!(with < without + 2.0, "{with} s, and {without} s without sound");
}

/// The figures of FFmpeg's filter `ebur128`: momentary and short-term loudness at a time, and integrated loudness and
/// true peak of the whole. Its loudness range has other steps than ours.
fn figures_of_ffmpeg(clip: &str) -> (impl Fn(f64) -> [f64; 2], [f64; 2]) {
    let script = "ffmpeg -hide_banner -nostats -i \"$0\" -filter_complex ebur128=peak=true -f null - 2>&1";
    let output = output_of(Command::new("sh").args(["-c", script, clip]), PATIENCE).expect("FFmpeg measures it");
    let text = String::from_utf8(output).expect("text");
    let number = |line: &str, name: &str| -> f64 {
        let rest = line.rsplit_once(name).unwrap_or_else(|| panic!("no {name} in {line}")).1.trim_start();
        rest.split_whitespace().next().and_then(|word| word.parse().ok()).expect("a number")
    };
    let summary = text.rsplit_once("Summary:").expect("a summary").1;
    let whole = ["I:", "Peak:"].map(|name| number(summary, name));
    let lines: Vec<_> = text.lines().filter(|line| line.contains(" M:")).map(str::to_owned).collect();
    let at = move |secs: f64| {
        let is_at = |line: &&String| (number(line, " t:") - secs).abs() < 0.01;
        let line = lines.iter().find(is_at).unwrap_or_else(|| panic!("nothing at {secs}"));
        [number(line, " M:"), number(line, " S:")]
    };
    (at, whole)
}

/// The number at a place in a line of the meters' figures.
fn metered(line: &str, name: &str, place: usize) -> Option<f64> {
    let figures = line.split_once("sound meters: ")?.1.split("; ").find_map(|part| part.strip_prefix(name))?;
    figures.split(' ').nth(place + 1)?.replace('−', "-").parse().ok()
}

#[test]
fn the_meters_show_what_ffmpeg_measures_wherever_one_comes_from() {
    let clip = clip_of(
        "testsrc2=s=320x180:r=25:d=10 \
         -f lavfi -i aevalsrc='0.1*sin(2*PI*1000*t)*lt(t,5)|0.1*sin(2*PI*1000*t)*lt(t,5)':s=48000:d=10 \
         -c:a pcm_s16le -g 25",
    );
    let path = clip.path().to_str().expect("plain");
    let (of_ffmpeg, whole) = figures_of_ffmpeg(path);
    let program = Program::start_with(path, &["--paused"]);
    let near = |line: &str, name: &str, place: usize, wanted: f64| {
        let found = metered(line, name, place);
        assert!(found.is_some_and(|found| (found - wanted).abs() < 0.11), "{name} {found:?}, not {wanted}: {line}");
    };
    let line = program.after(|| program.key("shift+j"), "; clipped 0");
    assert!(line.contains("sound meters: L – – –; R – – –; momentary – – "), "nothing has been heard yet: {line}");
    near(&line, "integrated", 0, whole[0]);
    near(&line, "true peak", 2, whole[1]);
    // The frame at 3.96 s ends at 4.00 s.
    let go = |place: &str| {
        program.key("ctrl+g");
        program.type_text(place);
        program.after(|| program.key("Return"), "note: to ");
        program.settled();
        program.then("sound meters: ")
    };
    let check = |line: &str, secs: f64, held: f64| {
        let [momentary, short_term] = of_ffmpeg(secs);
        near(line, "momentary", 0, momentary);
        near(line, "short-term", 0, short_term);
        near(line, "momentary", 1, held);
    };
    let tone = of_ffmpeg(4.0)[0];
    let line = go("3.96");
    check(&line, 4.0, tone);
    // The root mean square of a sine is 3 dB below its peak.
    for (place, wanted) in [(0, -23.0), (1, -20.0), (2, -20.0)] {
        near(&line, "L", place, wanted);
    }
    near(&line, "correlation", 0, 1.0);
    // A frame on, none of the steps has ended; two more, and the next has.
    let stepped = |count: usize| {
        (0..count).for_each(|_| drop(program.after(|| program.key("period"), "sound meters: ")));
        program.settled();
        program.then("sound meters: ")
    };
    assert_eq!(metered(&stepped(1), "momentary", 0), metered(&line, "momentary", 0));
    check(&go("5.16"), 5.2, tone);
    check(&stepped(5), 5.4, tone);
    let reset = program.after(|| program.key("ctrl+shift+j"), "sound meters: ");
    check(&reset, 5.4, of_ffmpeg(5.4)[0]);
    let later = go("5.96");
    near(&later, "short-term", 0, of_ffmpeg(6.0)[1]);
    near(&later, "momentary", 1, of_ffmpeg(5.4)[0]);
    near(&later, "L", 2, -20.0);
    let silent = go("9.0");
    assert!(
        silent.contains("L – – –") && silent.contains("momentary – "),
        "the peak is held for two seconds: {silent}"
    );
    program.quit_with("q");
}

#[test]
fn the_second_clip_is_heard_where_its_pictures_are() {
    let server = Server::start();
    let clip = |hertz: &str| {
        clip_of(&format!(
            "testsrc2=s=64x48:r=5:d=400 -f lavfi -i aevalsrc='0.1*sin(2*PI*{hertz}*t)':s=48000:d=400 -c:a pcm_s16le"
        ))
    };
    let (first, second) = (clip("440"), clip("(1000+1000*lt(t,200))"));
    let [first, second] = [&first, &second].map(|clip| clip.path().to_str().expect("plain"));
    let program = server.play(&[first, second, "--compare", "--compare-by", "frame", "--offset", "1000"]);
    let is = |hertz: f64, is_heard: bool| {
        until(&format!("{hertz} Hz: {is_heard}"), PATIENCE, || {
            ((server.strength(&program, hertz) > 0.03) == is_heard).then_some(())
        });
    };
    is(440.0, true);
    let name = |path: &str| path.rsplit('/').next().expect("a name").to_owned();
    program.after(|| program.key("ctrl+b"), &format!("note: sound of {}", name(second)));
    // 1000 frames are 200 seconds, from which on its tone is the lower one.
    is(1000.0, true);
    is(2000.0, false);
    is(440.0, false);
    program.after(|| program.key("ctrl+b"), &format!("note: sound of {}", name(first)));
    is(440.0, true);
    is(1000.0, false);
    program.quit_with("q");
}
