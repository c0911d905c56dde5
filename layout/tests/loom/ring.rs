//! The rings: messages arrive, whole and in order.

use loom::sync::Arc;
use loom::thread;
use whyperf_layout::{CommandPage, Message, ReplyPage, Sequence};

#[test]
fn messages_arrive_whole_and_in_order() {
    loom::model(|| {
        let pages = Arc::new((CommandPage::default(), ReplyPage::default()));
        let sender = thread::spawn({
            let pages = pages.clone();
            move || {
                for number in 1_u32..=3 {
                    while pages.0.send(&pages.1, message(u64::from(number))).is_none() {
                        thread::yield_now();
                    }
                }
            }
        });
        let receiver = thread::spawn(move || {
            for number in 1..=3 {
                let received = loop {
                    if let Some(received) = pages.0.receive(&pages.1) {
                        break received;
                    }
                    thread::yield_now();
                };
                assert_eq!(received, (Sequence(number), message(u64::from(number))));
            }
        });
        sender.join().unwrap();
        receiver.join().unwrap();
    });
}

#[test]
fn a_bell_announces_its_message() {
    loom::model(|| {
        let pages = Arc::new((CommandPage::default(), ReplyPage::default()));
        let sender = thread::spawn({
            let pages = pages.clone();
            move || assert!(pages.0.send(&pages.1, message(1)).is_some())
        });
        let agent = thread::spawn(move || {
            if pages.0.rung() == 1 {
                assert_eq!(pages.0.receive(&pages.1), Some((Sequence(1), message(1))));
            }
        });
        sender.join().unwrap();
        agent.join().unwrap();
    });
}

fn message(number: u64) -> Message {
    Message { what: 100 * number, arguments: [number + 1000, number + 2000, number + 3000] }
}
