//! Live sources over the loopback address, sent by the ffmpeg command.

use std::fmt::Debug;
use std::io::{Read as _, Write as _};
use std::net::TcpListener;
use std::path::Path;
use std::time::{Duration, Instant};

use histoscope_core::picture::Frame;
use histoscope_media::{DecodeEvent, DecodeThread, Decoder, NoSignal, OpenOptions, QueueLimits, StreamInfo};

use crate::common::numbered::{number, numbered};
use crate::common::sender::{Fate, Network, Sender, free_port};
use crate::common::{Clip, open_error};

/// Longer than anything here takes, even on a busy machine.
const SOON: Duration = Duration::from_secs(60);
const H264: &str = "-c:v libx264 -preset ultrafast -tune zerolatency -g 10";

fn open(address: &str, limits: QueueLimits) -> DecodeThread {
    DecodeThread::open(address, OpenOptions::default(), limits, || {}).expect("a thread")
}

/// Waits for the first event for which `wanted` returns a value.
#[track_caller]
fn until<T>(media: &DecodeThread, what: &str, wanted: impl Fn(&DecodeEvent) -> Option<T>) -> T {
    let begin = Instant::now();
    let mut last: Option<Box<dyn Debug>> = None;
    while begin.elapsed() < SOON {
        let Some(event) = media.recv_timeout(Duration::from_millis(200)) else { continue };
        if let Some(found) = wanted(&event) {
            return found;
        }
        assert!(!matches!(event, DecodeEvent::Error { .. } | DecodeEvent::EndOfStream { .. }), "{what}: {event:?}");
        last = Some(Box::new(event));
    }
    panic!("{what} never came; the last event was {last:?}")
}

fn frame_of(event: &DecodeEvent) -> Option<Frame> {
    if let DecodeEvent::Frame(frame) = event { Some(frame.clone()) } else { None }
}

fn info_of(event: &DecodeEvent) -> Option<StreamInfo> {
    if let DecodeEvent::Opened(info) = event { Some((**info).clone()) } else { None }
}

#[test]
fn a_sender_that_comes_late_is_shown_and_is_followed_when_it_comes_back_as_another() {
    let address = format!("udp://127.0.0.1:{}", free_port());
    let limits = QueueLimits { frames: 4, ..QueueLimits::default() };
    let media = open(&address, limits);
    until(&media, "the news that nobody sends", |event| {
        matches!(event, DecodeEvent::NoSignal(NoSignal::Awaited { .. })).then_some(())
    });
    let sender = Sender::moving("64x48", &format!("{H264} -f mpegts"), &address);
    let info = until(&media, "the sender", info_of);
    assert!(info.live && !info.seekable && info.duration_secs.is_none(), "{info:?}");
    assert_eq!((info.codec.as_str(), info.coded_size), ("h264", (64, 48)));
    let first = until(&media, "a frame", frame_of);
    assert_eq!(first.index, Some(0));
    assert!(first.arrival.is_some_and(|at| at.elapsed().is_ok_and(|since| since < SOON)), "{:?}", first.arrival);

    // Nothing is taken for a while: the queue keeps the newest frames, up to its limit.
    let begin = Instant::now();
    let mut replaced = 0;
    while replaced == 0 {
        std::thread::sleep(Duration::from_millis(300));
        replaced += media.take_replaced();
        assert!(begin.elapsed() < SOON, "old frames are kept");
    }
    let second = until(&media, "a frame", frame_of);
    assert!(second.index > Some(1), "{:?} after {:?}", second.index, first.index);

    drop(sender);
    let since = until(&media, "the news that the signal is lost", |event| match event {
        DecodeEvent::NoSignal(NoSignal::Lost { since, .. }) => Some(*since),
        _ => None,
    });
    assert!(since.elapsed().is_ok_and(|since| since < SOON), "{since:?}");
    let _sender = Sender::moving("96x64", "-c:v mpeg2video -g 10 -f mpegts", &address);
    let info = until(&media, "the other sender", info_of);
    assert_eq!((info.codec.as_str(), info.coded_size), ("mpeg2video", (96, 64)));
    let third = until(&media, "its frame", frame_of);
    assert!(third.index > second.index && third.pts_ticks > second.pts_ticks, "numbers and times go on");
    assert!(third.time_secs > second.time_secs, "{} after {}", third.time_secs, second.time_secs);
    assert_eq!(third.picture.width(), 96);
}

#[test]
fn pictures_come_in_the_order_in_which_they_are_to_be_shown() {
    let codings = [
        "-c:v mpeg1video -bf 2 -g 12",
        "-c:v mpeg2video -bf 2 -g 12",
        "-c:v mpeg4 -bf 2 -g 12",
        "-c:v libx264 -preset fast -bf 3 -g 24 -x264-params b-pyramid=normal",
        "-c:v libx265 -preset ultrafast -x265-params log-level=none:keyint=20:bframes=3",
    ];
    for coding in codings {
        let clip = numbered("clip.mkv", 200, "50", coding);
        let address = format!("udp://127.0.0.1:{}", free_port());
        let media = open(&address, QueueLimits { frames: 1000, ..QueueLimits::default() });
        // For MPEG-4, only the container has the header.
        let header = if coding.contains("mpeg4") { "-bsf:v dump_extra" } else { "" };
        let _sender = Sender::of(clip.path(), &format!("-c copy {header} -f mpegts"), &address);
        let frames: Vec<(usize, bool)> = (0..60)
            .map(|_| until(&media, coding, frame_of))
            .map(|frame| (number(&frame.picture), frame.damaged))
            .collect();
        // The first frames may lack what was sent before the receiver started.
        assert_eq!(missing(&frames[10..]), 0, "{coding}: {frames:?}");
    }
}

#[test]
fn to_come_in_the_middle_of_a_group_is_no_damage() {
    let address = format!("udp://127.0.0.1:{}", free_port());
    let _sender =
        Sender::moving("160x90", "-c:v libx264 -preset ultrafast -tune zerolatency -g 60 -f mpegts", &address);
    // More than half a group.
    std::thread::sleep(Duration::from_millis(3000));
    let media = open(&address, QueueLimits::default());
    let frame = until(&media, "a frame", frame_of);
    let (counters, _) = media.condition();
    assert!(frame.index == Some(0) && counters.packets > 3, "it came with a keyframe: {counters:?}");
    assert_eq!((counters.refused_packets, counters.damaged), (0, 0));
}

#[test]
fn senders_that_are_connected_to_are_asked_until_they_are_there() {
    for (protocol, listens) in [("tcp", "?listen"), ("srt", "?mode=listener")] {
        let address = format!("{protocol}://127.0.0.1:{}", free_port());
        let media = open(&address, QueueLimits::default());
        let reason = until(&media, "the reason why there is nothing", |event| match event {
            DecodeEvent::NoSignal(NoSignal::Awaited { reason }) => reason.clone(),
            _ => None,
        });
        assert!(reason.contains(&address), "{reason}");
        let _sender = Sender::moving("64x48", &format!("{H264} -f mpegts"), &format!("{address}{listens}"));
        let frame = until(&media, protocol, frame_of);
        assert_eq!(frame.picture.width(), 64);
    }
}

/// Returns `count` frames received of a clip of numbered frames, sent as RTP over such a network.
fn received(count: usize, fate: impl Fn(u64) -> Fate + Send + 'static) -> Vec<(usize, bool)> {
    let clip = numbered("clip.mkv", 200, "50", &format!("{H264} -x264-params repeat-headers=1:slice-max-size=60"));
    let port = free_port();
    let network = Network::to(port, fate);
    let description = clip.folder().join("stream.sdp");
    let target = format!("rtp://127.0.0.1:{}?pkt_size=200", network.port);
    let arguments = format!("-c copy -f rtp -sdp_file {}", description.display());
    let _sender = Sender::of(clip.path(), &arguments, &target);
    let begin = Instant::now();
    // The last line describes the payload.
    let text = loop {
        let text = std::fs::read_to_string(&description).unwrap_or_default();
        if text.contains("a=fmtp") && text.ends_with('\n') {
            break text;
        }
        assert!(begin.elapsed() < SOON, "no description");
        std::thread::sleep(Duration::from_millis(20));
    };
    let text = text.replace(&format!("m=video {}", network.port), &format!("m=video {port}"));
    std::fs::write(&description, text).expect("the folder takes a file");
    let media = open(&description.display().to_string(), QueueLimits { frames: 1000, ..QueueLimits::default() });
    (0..count)
        .map(|_| {
            let frame = until(&media, "a frame", frame_of);
            (number(&frame.picture), frame.damaged)
        })
        .collect()
}

/// Returns the number of missing frames among those of a looping clip of 200.
fn missing(frames: &[(usize, bool)]) -> usize {
    frames.windows(2).map(|pair| (pair[1].0 + 200 - pair[0].0) % 200).map(|step| step.saturating_sub(1)).sum()
}

#[test]
fn rtp_that_comes_out_of_order_is_put_in_order() {
    let frames = received(100, |number| if number % 5 == 3 { Fate::IsLate } else { Fate::Passes });
    // The first frames may lack what was sent before the receiver started.
    let frames = &frames[20..];
    assert_eq!(missing(frames), 0, "{frames:?}");
    assert!(frames.iter().all(|(_, damaged)| !damaged), "{frames:?}");
}

#[test]
fn rtp_goes_on_where_packets_are_lost() {
    let frames = received(100, |number| if number % 40 == 7 { Fate::IsLost } else { Fate::Passes });
    assert!(missing(&frames) > 0 || frames.iter().any(|(_, damaged)| *damaged), "nothing was lost: {frames:?}");
}

/// Starts a server that sends a transport stream, with or without its length. Returns its address.
fn serve(bytes: Vec<u8>, tells_length: bool) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = listener.local_addr().expect("an address");
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let Ok(mut stream) = stream else { return };
            let _ = stream.read(&mut [0; 4096]);
            let length = if tells_length { format!("Content-Length: {}\r\n", bytes.len()) } else { String::new() };
            let _ = stream.write_all(format!("HTTP/1.0 200 OK\r\n{length}\r\n").as_bytes());
            let _ = stream.write_all(&bytes);
        }
    });
    format!("http://{address}/stream.ts")
}

#[test]
fn a_web_server_that_tells_no_length_is_live() {
    let clip = Clip::moving("clip.ts", "64x48", 1.0, H264);
    for (tells_length, live) in [(true, false), (false, true)] {
        let address = serve(clip.bytes(), tells_length);
        let decoder = Decoder::open(&address, &OpenOptions::default()).expect("the server answers");
        assert_eq!(decoder.info().live, live, "with a length: {tells_length}");
    }
}

#[test]
fn what_will_never_open_is_told_at_once() {
    // RFC 2606 reserves this domain, so it never exists.
    for address in ["udp://nobody.invalid:5000", "rtsp://nobody.invalid/camera", "http://nobody.invalid/a.ts"] {
        let media = open(address, QueueLimits::default());
        match media.recv_timeout(SOON) {
            Some(DecodeEvent::Error { error, .. }) => {
                assert!(error.to_string().contains("host \"nobody.invalid\" cannot be found"), "{error}");
            }
            other => panic!("{address}: {other:?}"),
        }
    }
    assert!(open_error(Path::new("udp://nobody.invalid:5000")).contains("check the address"));
    let port = free_port();
    let _other = std::net::UdpSocket::bind(("0.0.0.0", port)).expect("the port is free");
    let error = open_error(Path::new(&format!("udp://127.0.0.1:{port}")));
    assert!(error.contains("another program is using this port"), "{error}");
}

#[test]
fn a_sender_that_never_comes_is_given_up_where_nobody_looks() {
    let address = format!("udp://127.0.0.1:{}", free_port());
    let options = OpenOptions { network_limit: Some(Duration::from_millis(300)), ..OpenOptions::default() };
    let error = Decoder::open(&address, &options).err().expect("nobody sends");
    assert_eq!(error.to_string(), format!("{address}: no data for 0.3 s; check the connection and try again"));
    // The window can be closed while it waits.
    let media = open(&address, QueueLimits::default());
    std::thread::sleep(Duration::from_millis(300));
    let begin = Instant::now();
    drop(media);
    assert!(begin.elapsed() < Duration::from_secs(2), "{:?}", begin.elapsed());
}
