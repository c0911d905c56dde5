//! Tests the store from outside: what is written comes back, damage is named, and no finished run is ever lost.

mod crash;
mod damage;
mod diagnosis;
mod golden;
mod messages;
mod postgres_server;
mod round_trip;
mod sample;
mod server;
