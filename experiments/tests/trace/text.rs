//! Traces as text: what is written is read again, short forms mean what they say, and mistakes are told with their line.

use proptest::prelude::*;
use whyperf_experiments::{TraceFile, import, write_event, write_head};
use whyperf_extrapolate::{Event, Expected, Rank, Sent, Tag};

use crate::events::{Place, about, by_rank, head, traces};

/// The events of each rank of a text.
fn read(name: &str, text: &str) -> Result<Vec<Vec<Event>>, String> {
    let place = Place::new(name);
    import("t", text, &place.0).map_err(|error| error.to_string())?;
    place.read().map_err(|error| error.to_string())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 15, ..ProptestConfig::default() })]

    #[test]
    fn text_is_read_as_it_was_written((ranks, events) in traces()) {
        let tables = head(ranks);
        let mut text = write_head(&about(), &tables);
        let all = by_rank(ranks, &events);
        for (rank, of) in all.iter().enumerate() {
            text += &format!("rank {rank}\n");
            of.iter().for_each(|event| text += &format!("  {}\n", write_event(event, &tables)));
        }
        let place = Place::new("text");
        import("t", &text, &place.0).expect("it is right");
        let again = TraceFile::open(&place.0).expect("it is whole");
        prop_assert_eq!(again.about(), &about());
        prop_assert_eq!(again.head().communicators(), tables.communicators());
        // Regions are numbered as they come.
        let named = |trace: &TraceFile, rank: usize| -> Vec<String> {
            let rank = Rank(u32::try_from(rank).expect("few"));
            trace.rank(rank).map(|event| write_event(&event, trace.head())).collect()
        };
        for (rank, of) in all.iter().enumerate() {
            let written: Vec<String> = of.iter().map(|event| write_event(event, &tables)).collect();
            prop_assert_eq!(named(&again, rank), written);
        }
    }
}

#[test]
fn one_text_for_all_ranks_of_a_ring() {
    let text = "whyperf trace 1  # a ring\nname ring\nranks 3\nrank 0-2\nrepeat 2\n\
        send +1 8 tag=4\nrecv -1 tag=any\nend\n";
    let all = read("ring", text).expect("it is right");
    let send = |to| Event::Send(Sent { to: Rank(to), tag: Tag(4), ..sent() });
    let recv =
        |from| Event::Recv(Expected { from: Some(Rank(from)), tag: None, comm: sent().comm });
    assert_eq!(all[1], [send(2), recv(0), send(2), recv(0)]);
    assert_eq!(all[2], [send(0), recv(1), send(0), recv(1)]);
}

fn sent() -> Sent {
    let comm = whyperf_extrapolate::CommId::WORLD;
    Sent { to: Rank(0), tag: Tag(0), comm, bytes: whyperf_extrapolate::Bytes(8) }
}

#[test]
fn mistakes_are_told_with_their_line() {
    let of = |lines: &str| {
        read("mistake", &format!("whyperf trace 1\nranks 2\nrank 0\n{lines}\n"))
            .expect_err("it is wrong")
    };
    assert_eq!(of("send 2 8"), "t:4: there is no rank 2: the trace has 2");
    assert_eq!(of("send 1"), "t:4: a number of bytes is missing");
    assert_eq!(of("send 1 -8"), "t:4: '-8' is no number that can stand here");
    assert_eq!(of("send 1 8 9"), "t:4: '9' is one word too many");
    assert_eq!(of("send 1 8 tga=9"), "t:4: 'send' has no 'tga'");
    assert_eq!(of("\nsned 1 8"), "t:5: 'sned' is no event");
    assert_eq!(of("compute a -1us"), "t:4: '-1us' is no time: a number with ns, us, ms or s");
    assert_eq!(of("compute a 1 us"), "t:4: 'us' is no time: a number with ns, us, ms or s");
    assert_eq!(of("repeat 3\nbarrier"), "t:4: 'repeat' has no 'end'");
    assert_eq!(of("repeat x\nend"), "t:4: 'x' is no number of repetitions");
    assert_eq!(of("end"), "t:4: 'end' is no event");
    assert_eq!(of("rank 1-0"), "t:4: '1-0' is no range: the lower rank comes first");
    assert_eq!(of("communicator 3 0"), "t:4: communicators are numbered in order: this one is 1");
    let all = |text: &str| read("all", text).expect_err("it is wrong");
    assert_eq!(all("ranks 3"), "t:1: a trace as text begins with the line 'whyperf trace 1'");
    assert_eq!(
        all("whyperf trace 1\nbarrier"),
        "t:2: an event stands below a line such as 'rank 0'"
    );
    assert_eq!(all("whyperf trace 1\nname x"), "t:2: there is no line such as 'ranks 4'");
    assert_eq!(all("whyperf trace 1\nranks 0"), "t:2: there is one line 'ranks', of 1 to 16777216");
}
