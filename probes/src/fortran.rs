//! Finds the calling routine of a Fortran program, when the call goes through a Fortran layer.
//!
//! ```text
//!   program ── call mpi_send_ ──► stub: thread.fortran_site = [rsp], fortran_stack = rsp
//!                                   └─► the MPI's mpi_send_ ──► MPI_Send (wrapper)
//! ```
//! The C function sees a return address in the MPI's Fortran layer, or in the compiler's I/O
//! library. So each Fortran name is exported too: its stub notes the caller, if no wrapper is
//! active in the thread, and jumps to the next definition. It looks at no argument, so it does not
//! matter how the compiler passes them, and the wrapper takes the address if it is fresh.

use crate::next::Next;

/// Looks up where a stub jumps from now on.
extern "C" fn find(next: &Next) -> *const u8 {
    let found = next.address();
    if found.is_null() { nothing as *const u8 } else { found.cast_const().cast() }
}

extern "C" fn nothing() {}

/// Exports one Fortran name.
macro_rules! named {
    ($symbol:expr) => {
        const _: () = {
            static NEXT: Next = Next::of_fortran(
                match core::ffi::CStr::from_bytes_with_nul(concat!($symbol, "\0").as_bytes()) {
                    Ok(name) => name,
                    Err(_) => panic!("names of Fortran hold no zero byte"),
                },
            );

            // SAFETY: a naked function that any convention may call: it changes r10 and r11 only
            // and jumps on with all arguments as they came.
            #[unsafe(export_name = $symbol)]
            #[unsafe(naked)]
            unsafe extern "C" fn exported() {
                core::arch::naked_asm!(
                    crate::stub::listed!(),
                    "endbr64",
                    "mov r11, qword ptr [rip + whyperf_thread@GOTTPOFF]",
                    "cmp qword ptr fs:[r11 + {guard}], 0",
                    "jne 2f",
                    "mov r10, qword ptr [rsp]",
                    "mov qword ptr fs:[r11 + {site}], r10",
                    "mov qword ptr fs:[r11 + {stack}], rsp",
                    "2:",
                    "mov r11, qword ptr [rip + {next} + {found}]",
                    "test r11, r11",
                    "je 3f",
                    "jmp r11",
                    "3:",
                    "lea r11, [rip + {look_up}]",
                    "jmp {keep}",
                    guard = const whyperf_runtime::thread_local::GUARD_STACK,
                    site = const whyperf_runtime::thread_local::FORTRAN_SITE,
                    stack = const whyperf_runtime::thread_local::FORTRAN_STACK,
                    next = sym NEXT,
                    found = const Next::FOUND,
                    look_up = sym look_up,
                    keep = sym crate::forwarding::keep_and_jump,
                )
            }

            extern "C" fn look_up() -> *const u8 {
                find(&NEXT)
            }
        };
    };
}

/// Exports the names that compilers and MPIs make of one routine of MPI.
macro_rules! routines {
    ($($lower:ident $upper:ident,)*) => { $(
        named!(concat!("mpi_", stringify!($lower)));
        named!(concat!("mpi_", stringify!($lower), "_"));
        named!(concat!("mpi_", stringify!($lower), "__"));
        named!(concat!("MPI_", stringify!($upper)));
        named!(concat!("mpi_", stringify!($lower), "_f08_"));
        named!(concat!("mpi_", stringify!($lower), "_f08ts_"));
        named!(concat!("mpi_", stringify!($lower), "_f08_large_"));
        named!(concat!("mpi_", stringify!($lower), "_f08ts_large_"));
    )* };
}

/// Exports the I/O statements of GNU Fortran.
macro_rules! statements {
    ($($name:ident)*) => { $( named!(concat!("_gfortran_st_", stringify!($name))); )* };
}

statements! {
    open close read read_done write write_done flush rewind backspace endfile inquire wait
    wait_async
}

#[rustfmt::skip]
routines! {
    send SEND, bsend BSEND, ssend SSEND, rsend RSEND, recv RECV, mrecv MRECV, sendrecv SENDRECV,
    sendrecv_replace SENDRECV_REPLACE, isend ISEND, ibsend IBSEND, issend ISSEND, irsend IRSEND,
    irecv IRECV, imrecv IMRECV, isendrecv ISENDRECV, isendrecv_replace ISENDRECV_REPLACE,
    send_init SEND_INIT, bsend_init BSEND_INIT, ssend_init SSEND_INIT, rsend_init RSEND_INIT,
    recv_init RECV_INIT, psend_init PSEND_INIT, precv_init PRECV_INIT, start START,
    startall STARTALL, pready PREADY, pready_range PREADY_RANGE, pready_list PREADY_LIST,
    parrived PARRIVED, cancel CANCEL, request_free REQUEST_FREE,
    request_get_status REQUEST_GET_STATUS, probe PROBE, iprobe IPROBE, mprobe MPROBE,
    improbe IMPROBE, barrier BARRIER, ibarrier IBARRIER, barrier_init BARRIER_INIT, bcast BCAST,
    ibcast IBCAST, bcast_init BCAST_INIT, reduce REDUCE, ireduce IREDUCE, reduce_init REDUCE_INIT,
    allreduce ALLREDUCE, iallreduce IALLREDUCE, allreduce_init ALLREDUCE_INIT, scan SCAN,
    iscan ISCAN, scan_init SCAN_INIT, exscan EXSCAN, iexscan IEXSCAN, exscan_init EXSCAN_INIT,
    gather GATHER, igather IGATHER, gather_init GATHER_INIT, gatherv GATHERV, igatherv IGATHERV,
    gatherv_init GATHERV_INIT, scatter SCATTER, iscatter ISCATTER, scatter_init SCATTER_INIT,
    scatterv SCATTERV, iscatterv ISCATTERV, scatterv_init SCATTERV_INIT, allgather ALLGATHER,
    iallgather IALLGATHER, allgather_init ALLGATHER_INIT, allgatherv ALLGATHERV,
    iallgatherv IALLGATHERV, allgatherv_init ALLGATHERV_INIT, alltoall ALLTOALL,
    ialltoall IALLTOALL, alltoall_init ALLTOALL_INIT, alltoallv ALLTOALLV, ialltoallv IALLTOALLV,
    alltoallv_init ALLTOALLV_INIT, alltoallw ALLTOALLW, ialltoallw IALLTOALLW,
    alltoallw_init ALLTOALLW_INIT, reduce_scatter REDUCE_SCATTER, ireduce_scatter IREDUCE_SCATTER,
    reduce_scatter_init REDUCE_SCATTER_INIT, reduce_scatter_block REDUCE_SCATTER_BLOCK,
    ireduce_scatter_block IREDUCE_SCATTER_BLOCK,
    reduce_scatter_block_init REDUCE_SCATTER_BLOCK_INIT, neighbor_allgather NEIGHBOR_ALLGATHER,
    ineighbor_allgather INEIGHBOR_ALLGATHER, neighbor_allgather_init NEIGHBOR_ALLGATHER_INIT,
    neighbor_allgatherv NEIGHBOR_ALLGATHERV, ineighbor_allgatherv INEIGHBOR_ALLGATHERV,
    neighbor_allgatherv_init NEIGHBOR_ALLGATHERV_INIT, neighbor_alltoall NEIGHBOR_ALLTOALL,
    ineighbor_alltoall INEIGHBOR_ALLTOALL, neighbor_alltoall_init NEIGHBOR_ALLTOALL_INIT,
    neighbor_alltoallv NEIGHBOR_ALLTOALLV, ineighbor_alltoallv INEIGHBOR_ALLTOALLV,
    neighbor_alltoallv_init NEIGHBOR_ALLTOALLV_INIT, neighbor_alltoallw NEIGHBOR_ALLTOALLW,
    ineighbor_alltoallw INEIGHBOR_ALLTOALLW, neighbor_alltoallw_init NEIGHBOR_ALLTOALLW_INIT,
    put PUT, get GET, accumulate ACCUMULATE, get_accumulate GET_ACCUMULATE,
    fetch_and_op FETCH_AND_OP, compare_and_swap COMPARE_AND_SWAP, rput RPUT, rget RGET,
    raccumulate RACCUMULATE, rget_accumulate RGET_ACCUMULATE, win_fence WIN_FENCE,
    win_lock WIN_LOCK, win_lock_all WIN_LOCK_ALL, win_unlock WIN_UNLOCK,
    win_unlock_all WIN_UNLOCK_ALL, win_flush WIN_FLUSH, win_flush_all WIN_FLUSH_ALL,
    win_flush_local WIN_FLUSH_LOCAL, win_flush_local_all WIN_FLUSH_LOCAL_ALL, win_sync WIN_SYNC,
    win_post WIN_POST, win_start WIN_START, win_complete WIN_COMPLETE, win_wait WIN_WAIT,
    win_test WIN_TEST, win_create WIN_CREATE, win_allocate WIN_ALLOCATE,
    win_allocate_shared WIN_ALLOCATE_SHARED, win_create_dynamic WIN_CREATE_DYNAMIC,
    win_free WIN_FREE, win_set_name WIN_SET_NAME, file_open FILE_OPEN, file_close FILE_CLOSE,
    file_delete FILE_DELETE, file_read FILE_READ, file_read_all FILE_READ_ALL,
    file_read_shared FILE_READ_SHARED, file_read_ordered FILE_READ_ORDERED,
    file_read_at FILE_READ_AT, file_read_at_all FILE_READ_AT_ALL, file_iread FILE_IREAD,
    file_iread_all FILE_IREAD_ALL, file_iread_shared FILE_IREAD_SHARED,
    file_iread_at FILE_IREAD_AT, file_iread_at_all FILE_IREAD_AT_ALL,
    file_read_all_begin FILE_READ_ALL_BEGIN, file_read_all_end FILE_READ_ALL_END,
    file_read_at_all_begin FILE_READ_AT_ALL_BEGIN, file_read_at_all_end FILE_READ_AT_ALL_END,
    file_read_ordered_begin FILE_READ_ORDERED_BEGIN, file_read_ordered_end FILE_READ_ORDERED_END,
    file_write FILE_WRITE, file_write_all FILE_WRITE_ALL, file_write_shared FILE_WRITE_SHARED,
    file_write_ordered FILE_WRITE_ORDERED, file_write_at FILE_WRITE_AT,
    file_write_at_all FILE_WRITE_AT_ALL, file_iwrite FILE_IWRITE, file_iwrite_all FILE_IWRITE_ALL,
    file_iwrite_shared FILE_IWRITE_SHARED, file_iwrite_at FILE_IWRITE_AT,
    file_iwrite_at_all FILE_IWRITE_AT_ALL, file_write_all_begin FILE_WRITE_ALL_BEGIN,
    file_write_all_end FILE_WRITE_ALL_END, file_write_at_all_begin FILE_WRITE_AT_ALL_BEGIN,
    file_write_at_all_end FILE_WRITE_AT_ALL_END,
    file_write_ordered_begin FILE_WRITE_ORDERED_BEGIN,
    file_write_ordered_end FILE_WRITE_ORDERED_END, file_sync FILE_SYNC, file_seek FILE_SEEK,
    file_seek_shared FILE_SEEK_SHARED, file_preallocate FILE_PREALLOCATE,
    file_set_size FILE_SET_SIZE, file_get_size FILE_GET_SIZE, file_get_amode FILE_GET_AMODE,
    file_get_group FILE_GET_GROUP, file_set_info FILE_SET_INFO, file_get_info FILE_GET_INFO,
    file_set_view FILE_SET_VIEW, file_get_view FILE_GET_VIEW, file_get_position FILE_GET_POSITION,
    file_get_position_shared FILE_GET_POSITION_SHARED, file_get_byte_offset FILE_GET_BYTE_OFFSET,
    file_set_atomicity FILE_SET_ATOMICITY, file_get_atomicity FILE_GET_ATOMICITY,
    comm_dup COMM_DUP, comm_dup_with_info COMM_DUP_WITH_INFO, comm_idup COMM_IDUP,
    comm_idup_with_info COMM_IDUP_WITH_INFO, comm_split COMM_SPLIT,
    comm_split_type COMM_SPLIT_TYPE, comm_create COMM_CREATE, comm_create_group COMM_CREATE_GROUP,
    comm_create_from_group COMM_CREATE_FROM_GROUP, cart_create CART_CREATE, cart_sub CART_SUB,
    graph_create GRAPH_CREATE, dist_graph_create DIST_GRAPH_CREATE,
    dist_graph_create_adjacent DIST_GRAPH_CREATE_ADJACENT, intercomm_create INTERCOMM_CREATE,
    intercomm_create_from_groups INTERCOMM_CREATE_FROM_GROUPS, intercomm_merge INTERCOMM_MERGE,
    comm_spawn COMM_SPAWN, comm_spawn_multiple COMM_SPAWN_MULTIPLE, comm_accept COMM_ACCEPT,
    comm_connect COMM_CONNECT, comm_join COMM_JOIN, comm_free COMM_FREE,
    comm_disconnect COMM_DISCONNECT, comm_set_name COMM_SET_NAME, init INIT,
    init_thread INIT_THREAD, finalize FINALIZE, abort ABORT, session_init SESSION_INIT,
    session_finalize SESSION_FINALIZE, wait WAIT, waitall WAITALL, waitany WAITANY,
    waitsome WAITSOME, test TEST, testall TESTALL, testany TESTANY, testsome TESTSOME,
}
