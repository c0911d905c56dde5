//! The bytes of the shared region and both ends of each protocol in it.
//!
//! One file per measured process. The process writes, the daemon reads; nothing else passes
//! between them. This crate knows bytes: no operating system, no allocation, no meaning.
//!
//! ```text
//!   process                               daemon
//!   Header, tables, strings  ──────────►  names, places        (grow only)
//!   slot: word, stamps, nodes ─────────►  samples              (one writer per slot, no waiting)
//!         peers               ─────────►  messages between ranks
//!   ReplyPage                ──────────►  replies and news
//!   CommandPage              ◄──────────  commands             } all that the daemon
//!   PatchRecord              ◄──────────  functions to patch   } may write
//! ```
//!
//! A traced thread has an [`event_ring`] in a file of its own, beside the region.
//!
//! [`geometry`] says where each part lies, [`slot`] holds the protocol of an event, [`ring`] and [`command`] that of
//! commands; [`attach_request`] is the request by which a process begins to be measured. `docs/layout.md` tells who owns
//! each part, and when.
#![cfg_attr(not(any(test, loom)), no_std)]

pub mod attach_request;
pub mod bystander;
pub mod command;
pub mod event_ring;
pub mod geometry;
mod header;
mod kind;
mod metadata;
mod moved_code;
pub mod patch;
pub mod peer;
mod publication;
mod region_failure;
pub mod ring;
pub mod slot;
pub mod strings;
mod stub_place;
pub mod sync;
mod table;
pub mod traced;
pub mod turn;
mod user_event;

pub use command::{Answer, Command, CommandRefusal, Reply};
pub use event_ring::{
    Drained, EventRing, RING_ENTRIES, RING_MAGIC, RING_SIZE, RING_VERSION, RingEntry, RingHead,
};
pub use header::{
    Header, Losses, MAGIC, NO_BASE, NO_RANK, PAUSED_BY_DAEMON, PAUSED_BY_PROGRAM, RegionState,
    VERSION,
};
pub use kind::{Kind, ObjectKind};
pub use metadata::{METADATA_CAPACITY, MetadataEntry, MetadataTable};
pub use moved_code::MovedCode;
pub use patch::{Boundary, CodeState, Outcome, Patch, PatchRecord, ThunkForm};
pub use peer::{
    Messages, PEER_CAPACITY, PEER_PAGES, PEERS_OF_PAGE, Peer, PeerPage, PeerRecord, PeerWriter,
};
pub use region_failure::RegionFailure;
pub use ring::{CommandPage, Message, ReplyPage, Sequence};
pub use slot::{Head, Moved, Node, NodeReading, OpenSegment, SlotReadState, SlotState};
pub use stub_place::{PatchStub, StubPlace};
pub use table::{ObjectRecord, OnTime, RegionRecord};
pub use traced::{MessageAct, NO_ONE, Traced};
pub use turn::{Standing, Ticket, TurnPage};
pub use user_event::{Gauge, UserEventPart};
