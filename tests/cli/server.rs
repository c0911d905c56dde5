//! A server of PostgreSQL as the store: runs are kept and read there, and one that cannot be reached loses none.

use crate::postgres_server::PostgresServer;
use crate::store::Place;

#[test]
fn runs_are_kept_on_a_server_and_copied_between_it_and_a_file() {
    let place = Place::new("server");
    let url = PostgresServer::shared().store("command_line").display().to_string();
    let said = place.say(&["run", "-q", "--store", &url, "--", "echo", "ran"]);
    assert_eq!((said.status, said.stdout.as_slice()), (Some(0), &b"ran\n"[..]), "{said:?}");
    let there = place.json(&["runs", "--store", &url, "--json"]);
    let copied = place.json(&["store", "copy", &url, "whyperf.db", "--json"]);
    assert_eq!(copied["copied"], serde_json::json!([there[0]["id"]]));
    assert_eq!(place.json(&["runs", "--json"]), there);
}

#[test]
fn a_server_that_cannot_be_reached_is_named_without_the_password_and_the_run_is_kept_here() {
    let place = Place::new("no-server");
    let url = "postgres://me:hidden@%2Fno%2Fsuch%2Ffolder/runs";
    let said = place.say(&["run", "-q", "--store", url, "--", "echo", "ran"]);
    assert_eq!((said.status, said.stdout.as_slice()), (Some(0), &b"ran\n"[..]), "{said:?}");
    let advice = "`whyperf store copy whyperf.db postgres://me:***@";
    assert!(said.stderr.contains(advice) && !said.stderr.contains("hidden"), "{said:?}");
    assert_eq!(place.json(&["runs", "--json"])[0]["complete"], true);
}
