//! Work in the background: threads of the lowest priority, and how much of the processor they may use.
//!
//! While a video plays, all of them together may use at most [one core](MOST_CORES), and no more than
//! [a quarter](MOST_OF_CORES) of the machine's cores. On battery they wait while it plays, and are held to that while it
//! does not. Linux reports what each thread has used; on other systems, they wait while a video plays.

use std::num::NonZeroUsize;
use std::path::Path;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// The most processor time that the background may use while a video plays, in cores.
const MOST_CORES: f64 = 1.0;
/// The largest part of the machine's cores that it may use then.
const MOST_OF_CORES: f64 = 0.25;
/// The most processor time that the background must rest for, so that what it used before the video played is forgotten.
const MOST_DEBT: Duration = Duration::from_millis(250);
/// How long to wait before asking again whether there is work to do.
const LONG_REST: Duration = Duration::from_secs(1);
/// How long the power supply is taken to stay the same.
const SUPPLY_LASTS: Duration = Duration::from_secs(10);
/// Where Linux lists power supplies.
const SUPPLIES: &str = "/sys/class/power_supply";
/// The priority of the background's threads, the lowest.
#[cfg(target_os = "linux")]
const NICE: i32 = 19;

/// Returns how long a thread of the background must rest before it goes on, or `None` if it may go on. Does not block.
pub fn rest(is_playing: bool) -> Option<Duration> {
    static ALLOWANCE: Mutex<Allowance> = Mutex::new(Allowance { last: None, debt: Duration::ZERO, supply: None });
    // Only threads of the background wait for each other here.
    let mut allowance = ALLOWANCE.lock().unwrap_or_else(PoisonError::into_inner);
    let now = Instant::now();
    match (is_playing, allowance.is_on_battery(now)) {
        (false, false) => None,
        (true, true) => Some(LONG_REST),
        _ => match ProcessorTimes::now() {
            Some(used) => Some(allowance.rest(now, used.background, cores())).filter(|rest| !rest.is_zero()),
            None => Some(LONG_REST),
        },
    }
}

/// Returns the number of cores that the background may use while a video plays.
fn cores() -> f64 {
    let all = std::thread::available_parallelism().map_or(1, NonZeroUsize::get) as f64;
    MOST_CORES.min(all * MOST_OF_CORES)
}

/// What the background may use, and has used.
#[derive(Debug)]
struct Allowance {
    /// When this was last brought up to date, and what the background had used by then.
    last: Option<(Instant, Duration)>,
    /// Processor time that was used beyond what was allowed.
    debt: Duration,
    /// When the power supply was last read, and whether it was a battery.
    supply: Option<(Instant, bool)>,
}

impl Allowance {
    /// Returns how long the background must rest, having `used` this much processor time since it began.
    fn rest(&mut self, now: Instant, used: Duration, cores: f64) -> Duration {
        let (at, before) = self.last.replace((now, used)).unwrap_or((now, used));
        let earned = now.saturating_duration_since(at).mul_f64(cores);
        self.debt = (self.debt + used.saturating_sub(before)).saturating_sub(earned).min(MOST_DEBT);
        self.debt.div_f64(cores)
    }

    fn is_on_battery(&mut self, now: Instant) -> bool {
        let known = self.supply.filter(|(at, _)| now.saturating_duration_since(*at) < SUPPLY_LASTS);
        self.supply.insert(known.unwrap_or_else(|| (now, is_on_battery(Path::new(SUPPLIES))))).1
    }
}

/// Returns `true` if there is a mains supply in this folder, and none of them is connected.
fn is_on_battery(supplies: &Path) -> bool {
    let Ok(entries) = std::fs::read_dir(supplies) else { return false };
    let is = |path: &Path, name: &str, value: &str| {
        std::fs::read_to_string(path.join(name)).is_ok_and(|text| text.trim() == value)
    };
    let mains: Vec<_> = entries.flatten().map(|entry| entry.path()).filter(|path| is(path, "type", "Mains")).collect();
    !mains.is_empty() && mains.iter().all(|path| is(path, "online", "0"))
}

/// Processor time that the program has used.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ProcessorTimes {
    /// That of all threads, including those that have ended.
    pub all: Duration,
    /// That of the background's threads which have not ended. In a program started at their niceness, nothing tells the
    /// other threads apart, and they count here.
    pub background: Duration,
    /// That of the other threads which have not ended.
    pub foreground: Duration,
}

impl ProcessorTimes {
    /// Returns the time used so far, or `None` if the system does not report it.
    #[cfg(target_os = "linux")]
    pub fn now() -> Option<Self> {
        let all = clock(libc::CLOCK_PROCESS_CPUTIME_ID)?;
        let mut times = Self { all, background: Duration::ZERO, foreground: Duration::ZERO };
        for (_, nice, used) in thread_times()? {
            *(if nice == NICE { &mut times.background } else { &mut times.foreground }) += used;
        }
        Some(times)
    }

    /// Returns the time used so far, or `None` if the system does not report it.
    #[cfg(not(target_os = "linux"))]
    pub const fn now() -> Option<Self> {
        None
    }
}

/// Returns the number of each thread, its niceness, and the processor time that it has used.
#[cfg(target_os = "linux")]
fn thread_times() -> Option<impl Iterator<Item = (libc::id_t, i32, Duration)>> {
    Some(std::fs::read_dir("/proc/self/task").ok()?.flatten().filter_map(|entry| {
        let thread: libc::id_t = entry.file_name().to_str()?.parse().ok()?;
        // The number that pthread_getcpuclockid(3) returns for the thread. There is none if it has just ended.
        let used = clock((!(thread as libc::clockid_t) << 3) | 0b110)?;
        // SAFETY: it takes plain numbers.
        let nice = unsafe { libc::getpriority(libc::PRIO_PROCESS, thread) };
        Some((thread, nice, used))
    }))
}

/// Reads a clock, if it exists.
#[cfg(target_os = "linux")]
fn clock(id: libc::clockid_t) -> Option<Duration> {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: the pointer is to a value of the expected type, which outlives the call.
    let code = unsafe { libc::clock_gettime(id, &raw mut time) };
    (code == 0).then(|| Duration::new(time.tv_sec.unsigned_abs(), time.tv_nsec as u32))
}

/// Makes the system run this thread, and the threads that it starts, only when no others want to.
#[cfg(target_os = "linux")]
pub fn give_way() {
    // SAFETY: it takes plain numbers. With zero, Linux changes only the calling thread; threads that it starts inherit
    // this.
    let code = unsafe { libc::setpriority(libc::PRIO_PROCESS, 0, NICE) };
    if code != 0 {
        log::debug!("strip: its priority could not be lowered: {}", std::io::Error::last_os_error());
    }
}

/// On other systems, the gate alone must suffice.
#[cfg(not(target_os = "linux"))]
pub fn give_way() {}

/// Creates a pool of threads with the priority of the calling thread. Returns `None` if the system provides no threads.
pub fn own_pool(name: &'static str, threads: usize) -> Option<rayon::ThreadPool> {
    let pool = rayon::ThreadPoolBuilder::new().thread_name(move |_| name.to_owned()).num_threads(threads).build();
    pool.map_err(|error| log::debug!("{name}: cannot start its own threads for counting: {error}")).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_used_beyond_the_allowance_is_rested_for() {
        let (start, ms) = (Instant::now(), Duration::from_millis);
        let mut allowance = Allowance { last: None, debt: Duration::ZERO, supply: None };
        // What was used before does not count.
        assert_eq!(allowance.rest(start, ms(70_000), 0.5), ms(0));
        // 40 ms used in 20 ms, of which half was allowed.
        assert_eq!(allowance.rest(start + ms(20), ms(70_040), 0.5), ms(60));
        assert_eq!(allowance.rest(start + ms(50), ms(70_040), 0.5), ms(30));
        assert_eq!(allowance.rest(start + ms(80), ms(70_040), 0.5), ms(0));
        // Nothing is saved up.
        assert_eq!(allowance.rest(start + ms(1080), ms(70_040), 0.5), ms(0));
        assert_eq!(allowance.rest(start + ms(1080), ms(70_050), 0.5), ms(20));
        assert_eq!(allowance.rest(start + ms(1080), ms(99_000), 0.5), ms(500), "at most 250 ms are owed");
        // Threads that have ended take their time with them.
        assert_eq!(allowance.rest(start + ms(2080), ms(50), 0.5), ms(0));
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn processor_time_is_told_apart_by_priority() {
        fn work(length: Duration) -> libc::id_t {
            let now = || clock(libc::CLOCK_THREAD_CPUTIME_ID).expect("Linux has it");
            let start = now();
            while now() - start < length {}
            // SAFETY: it takes nothing.
            unsafe { libc::gettid() }.unsigned_abs()
        }
        let (send, done) = std::sync::mpsc::channel();
        let (end, wait) = std::sync::mpsc::channel::<()>();
        let thread = std::thread::spawn(move || {
            give_way();
            send.send(work(Duration::from_millis(60))).expect("somebody listens");
            let _ = wait.recv();
        });
        let (theirs, ours) = (done.recv().expect("it works"), work(Duration::from_millis(30)));
        let times = ProcessorTimes::now().expect("Linux reports it");
        let of = |thread| thread_times().expect("Linux reports it").find(|known| known.0 == thread).expect("it runs");
        let ((_, nice, background), (_, normal, foreground)) = (of(theirs), of(ours));
        drop(end);
        thread.join().expect("it ends");
        assert_eq!(nice, NICE);
        assert!(
            (60..90).contains(&background.as_millis()) && foreground.as_millis() >= 30,
            "{background:?}, {foreground:?}"
        );
        // The tests themselves may be run at that niceness.
        let expected = background + if normal < NICE { Duration::ZERO } else { foreground };
        assert!(times.background >= expected && times.all >= background + foreground, "{times:?}");
        if normal < NICE {
            assert!(times.foreground >= foreground, "{times:?}");
        }
    }

    #[test]
    fn mains_that_are_not_connected_mean_battery() {
        let folder = tempfile::tempdir().expect("there is room");
        assert!(!is_on_battery(&folder.path().join("nothing")));
        let supply = |name: &str, kind: &str, online: &str| {
            let path = folder.path().join(name);
            std::fs::create_dir_all(&path).expect("there is room");
            std::fs::write(path.join("type"), format!("{kind}\n")).expect("there is room");
            std::fs::write(path.join("online"), format!("{online}\n")).expect("there is room");
        };
        supply("BAT0", "Battery", "1");
        assert!(!is_on_battery(folder.path()), "a machine without mains is not a notebook");
        supply("AC", "Mains", "0");
        assert!(is_on_battery(folder.path()));
        supply("AC2", "Mains", "1");
        assert!(!is_on_battery(folder.path()));
    }
}
