//! Wrappers of calls that read and write streams.

use super::file::{STANDARD_OUTPUT, descriptor, stream};
use super::moved::{nothing, received, received_line, sent, sent_line};
use crate::wrapped::wrapped;

wrapped! {
    fread(to, size, count, file) => Read, stream(file), |n| received(n.wrapping_mul(size));
    fread_unlocked(to, size, count, file) => Read, stream(file), |n| received(n.wrapping_mul(size));
    __fread_chk(to, room, size, count, file) => Read, stream(file), |n| received(n.wrapping_mul(size));
    __fread_unlocked_chk(to, room, size, count, file) =>
        Read, stream(file), |n| received(n.wrapping_mul(size));
    fgets(to, size, file) => Read, stream(file), |line| received_line(line);
    fgets_unlocked(to, size, file) => Read, stream(file), |line| received_line(line);
    __fgets_chk(to, room, size, file) => Read, stream(file), |line| received_line(line);
    __fgets_unlocked_chk(to, room, size, file) => Read, stream(file), |line| received_line(line);
    getline(line, size, file) => Read, stream(file), received;
    getdelim(line, size, delimiter, file) => Read, stream(file), received;
    __getdelim(line, size, delimiter, file) => Read, stream(file), received;
    fwrite(from, size, count, file) => Write, stream(file), |n| sent(n.wrapping_mul(size));
    fwrite_unlocked(from, size, count, file) => Write, stream(file), |n| sent(n.wrapping_mul(size));
    fputs(text, file) => Write, stream(file), |result| sent_line(result, text, 0);
    fputs_unlocked(text, file) => Write, stream(file), |result| sent_line(result, text, 0);
    puts(text) => Write, descriptor(STANDARD_OUTPUT), |result| sent_line(result, text, 1);
    fflush(file) => Flush, stream(file), nothing;
    fflush_unlocked(file) => Flush, stream(file), nothing;
}
