//! The table: every function of MPI that communicates, waits, synchronizes or does I/O.
//!
//! One line a function: its name, `+ c` where a form with `MPI_Count` exists, its arguments by the
//! names that [`super::call::Arguments`] looks for, what a metric sees in it, and what it does.
//! Functions of the newest standard are here as well; an MPI without them is never asked for them.

use super::call::{Act, Completion, Derivation, Direction};
use super::completion;
use super::flow::MessageFlow;
use super::wrapper::{self, functions};

const SEND: Act = Act::Message(Direction::Out);
const RECEIVE: Act = Act::Message(Direction::In);
const EXCHANGE: Act = Act::Message(Direction::Both);
const POST_SEND: Act = Act::PostMessage(Direction::Out);
const POST_RECEIVE: Act = Act::PostMessage(Direction::In);
const POST_EXCHANGE: Act = Act::PostMessage(Direction::Both);
const PREPARE_SEND: Act = Act::PrepareMessage(Direction::Out);
const PREPARE_RECEIVE: Act = Act::PrepareMessage(Direction::In);
const READ: Act = Act::File(Direction::In);
const WRITE: Act = Act::File(Direction::Out);
const POST_READ: Act = Act::PostFile(Direction::In);
const POST_WRITE: Act = Act::PostFile(Direction::Out);

#[rustfmt::skip]
functions! {
    through wrapper::ordinary;

    // Messages that are complete when the call returns.
    Send + c (buf, count, datatype, dest, tag, comm) Send SEND;
    Bsend + c (buf, count, datatype, dest, tag, comm) Send SEND;
    Ssend + c (buf, count, datatype, dest, tag, comm) Send SEND;
    Rsend + c (buf, count, datatype, dest, tag, comm) Send SEND;
    Recv + c (buf, count, datatype, source, tag, comm, status) Receive RECEIVE;
    Mrecv + c (buf, count, datatype, message, status) Receive Act::ReceiveFound;
    Sendrecv + c (sendbuf, sendcount, sendtype, dest, sendtag, recvbuf, recvcount, recvtype, source, recvtag, comm, status) Exchange EXCHANGE;
    Sendrecv_replace + c (buf, count, datatype, dest, sendtag, source, recvtag, comm, status) Exchange EXCHANGE;

    // Messages that a request completes.
    Isend + c (buf, count, datatype, dest, tag, comm, request) Post POST_SEND;
    Ibsend + c (buf, count, datatype, dest, tag, comm, request) Post POST_SEND;
    Issend + c (buf, count, datatype, dest, tag, comm, request) Post POST_SEND;
    Irsend + c (buf, count, datatype, dest, tag, comm, request) Post POST_SEND;
    Irecv + c (buf, count, datatype, source, tag, comm, request) Post POST_RECEIVE;
    Imrecv + c (buf, count, datatype, message, request) Post Act::PostFound;
    Isendrecv + c (sendbuf, sendcount, sendtype, dest, sendtag, recvbuf, recvcount, recvtype, source, recvtag, comm, request) Post POST_EXCHANGE;
    Isendrecv_replace + c (buf, count, datatype, dest, sendtag, source, recvtag, comm, request) Post POST_EXCHANGE;

    // Messages that are prepared once and started often, whole or in partitions.
    Send_init + c (buf, count, datatype, dest, tag, comm, request) Post PREPARE_SEND;
    Bsend_init + c (buf, count, datatype, dest, tag, comm, request) Post PREPARE_SEND;
    Ssend_init + c (buf, count, datatype, dest, tag, comm, request) Post PREPARE_SEND;
    Rsend_init + c (buf, count, datatype, dest, tag, comm, request) Post PREPARE_SEND;
    Recv_init + c (buf, count, datatype, source, tag, comm, request) Post PREPARE_RECEIVE;
    Psend_init (buf, partitions, count, datatype, dest, tag, comm, info, request) Post PREPARE_SEND;
    Precv_init (buf, partitions, count, datatype, source, tag, comm, info, request) Post PREPARE_RECEIVE;
    Start (request) Post Act::Start;
    Startall (incount, requests) Post Act::Start;
    Pready (partition, handle) Post Act::Touch;
    Pready_range (low, high, handle) Post Act::Touch;
    Pready_list (length, partitions_ready, handle) Post Act::Touch;
    Parrived (handle, partition, flag) Wait Act::Touch;
    Cancel (request) Post Act::Touch;
    Request_free (request) Post Act::Release;
    Request_get_status (handle, flag, status) Wait Act::Touch;

    // Looking for messages.
    Probe (source, tag, comm, status) Wait Act::Probe;
    Iprobe (source, tag, comm, flag, status) Wait Act::Probe;
    Mprobe (source, tag, comm, message, status) Wait Act::Probe;
    Improbe (source, tag, comm, flag, message, status) Wait Act::Probe;

    // Collective operations: complete at return, with a request, prepared.
    Barrier (comm) Barrier Act::Collective(MessageFlow::NOTHING);
    Ibarrier (comm, request) Post Act::PostCollective(MessageFlow::NOTHING);
    Barrier_init (comm, info, request) Post Act::PrepareCollective(MessageFlow::NOTHING);
    Bcast + c (buf, count, datatype, root, comm) Collective Act::Collective(MessageFlow::BROADCAST);
    Ibcast + c (buf, count, datatype, root, comm, request) Post Act::PostCollective(MessageFlow::BROADCAST);
    Bcast_init + c (buf, count, datatype, root, comm, info, request) Post Act::PrepareCollective(MessageFlow::BROADCAST);
    Reduce + c (sendbuf, recvbuf, count, datatype, op, root, comm) Collective Act::Collective(MessageFlow::REDUCE);
    Ireduce + c (sendbuf, recvbuf, count, datatype, op, root, comm, request) Post Act::PostCollective(MessageFlow::REDUCE);
    Reduce_init + c (sendbuf, recvbuf, count, datatype, op, root, comm, info, request) Post Act::PrepareCollective(MessageFlow::REDUCE);
    Allreduce + c (sendbuf, recvbuf, count, datatype, op, comm) Collective Act::Collective(MessageFlow::EXCHANGE);
    Iallreduce + c (sendbuf, recvbuf, count, datatype, op, comm, request) Post Act::PostCollective(MessageFlow::EXCHANGE);
    Allreduce_init + c (sendbuf, recvbuf, count, datatype, op, comm, info, request) Post Act::PrepareCollective(MessageFlow::EXCHANGE);
    Scan + c (sendbuf, recvbuf, count, datatype, op, comm) Collective Act::Collective(MessageFlow::EXCHANGE);
    Iscan + c (sendbuf, recvbuf, count, datatype, op, comm, request) Post Act::PostCollective(MessageFlow::EXCHANGE);
    Scan_init + c (sendbuf, recvbuf, count, datatype, op, comm, info, request) Post Act::PrepareCollective(MessageFlow::EXCHANGE);
    Exscan + c (sendbuf, recvbuf, count, datatype, op, comm) Collective Act::Collective(MessageFlow::EXCHANGE);
    Iexscan + c (sendbuf, recvbuf, count, datatype, op, comm, request) Post Act::PostCollective(MessageFlow::EXCHANGE);
    Exscan_init + c (sendbuf, recvbuf, count, datatype, op, comm, info, request) Post Act::PrepareCollective(MessageFlow::EXCHANGE);
    Gather + c (sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root, comm) Collective Act::Collective(MessageFlow::GATHER);
    Igather + c (sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root, comm, request) Post Act::PostCollective(MessageFlow::GATHER);
    Gather_init + c (sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root, comm, info, request) Post Act::PrepareCollective(MessageFlow::GATHER);
    Gatherv + c (sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, root, comm) Collective Act::Collective(MessageFlow::GATHER_LIST);
    Igatherv + c (sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, root, comm, request) Post Act::PostCollective(MessageFlow::GATHER_LIST);
    Gatherv_init + c (sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, root, comm, info, request) Post Act::PrepareCollective(MessageFlow::GATHER_LIST);
    Scatter + c (sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root, comm) Collective Act::Collective(MessageFlow::SCATTER);
    Iscatter + c (sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root, comm, request) Post Act::PostCollective(MessageFlow::SCATTER);
    Scatter_init + c (sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root, comm, info, request) Post Act::PrepareCollective(MessageFlow::SCATTER);
    Scatterv + c (sendbuf, sendcounts, displs, sendtype, recvbuf, recvcount, recvtype, root, comm) Collective Act::Collective(MessageFlow::SCATTER_LIST);
    Iscatterv + c (sendbuf, sendcounts, displs, sendtype, recvbuf, recvcount, recvtype, root, comm, request) Post Act::PostCollective(MessageFlow::SCATTER_LIST);
    Scatterv_init + c (sendbuf, sendcounts, displs, sendtype, recvbuf, recvcount, recvtype, root, comm, info, request) Post Act::PrepareCollective(MessageFlow::SCATTER_LIST);
    Allgather + c (sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm) Collective Act::Collective(MessageFlow::ALL_GATHER);
    Iallgather + c (sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm, request) Post Act::PostCollective(MessageFlow::ALL_GATHER);
    Allgather_init + c (sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm, info, request) Post Act::PrepareCollective(MessageFlow::ALL_GATHER);
    Allgatherv + c (sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, comm) Collective Act::Collective(MessageFlow::ALL_GATHER_LIST);
    Iallgatherv + c (sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, comm, request) Post Act::PostCollective(MessageFlow::ALL_GATHER_LIST);
    Allgatherv_init + c (sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, comm, info, request) Post Act::PrepareCollective(MessageFlow::ALL_GATHER_LIST);
    Alltoall + c (sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm) Collective Act::Collective(MessageFlow::ALL_TO_ALL);
    Ialltoall + c (sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm, request) Post Act::PostCollective(MessageFlow::ALL_TO_ALL);
    Alltoall_init + c (sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm, info, request) Post Act::PrepareCollective(MessageFlow::ALL_TO_ALL);
    Alltoallv + c (sendbuf, sendcounts, sdispls, sendtype, recvbuf, recvcounts, rdispls, recvtype, comm) Collective Act::Collective(MessageFlow::ALL_TO_ALL_LIST);
    Ialltoallv + c (sendbuf, sendcounts, sdispls, sendtype, recvbuf, recvcounts, rdispls, recvtype, comm, request) Post Act::PostCollective(MessageFlow::ALL_TO_ALL_LIST);
    Alltoallv_init + c (sendbuf, sendcounts, sdispls, sendtype, recvbuf, recvcounts, rdispls, recvtype, comm, info, request) Post Act::PrepareCollective(MessageFlow::ALL_TO_ALL_LIST);
    Alltoallw + c (sendbuf, sendcounts, sdispls, sendtypes, recvbuf, recvcounts, rdispls, recvtypes, comm) Collective Act::Collective(MessageFlow::ALL_TO_ALL_TYPED);
    Ialltoallw + c (sendbuf, sendcounts, sdispls, sendtypes, recvbuf, recvcounts, rdispls, recvtypes, comm, request) Post Act::PostCollective(MessageFlow::ALL_TO_ALL_TYPED);
    Alltoallw_init + c (sendbuf, sendcounts, sdispls, sendtypes, recvbuf, recvcounts, rdispls, recvtypes, comm, info, request) Post Act::PrepareCollective(MessageFlow::ALL_TO_ALL_TYPED);
    Reduce_scatter + c (sendbuf, recvbuf, recvcounts, datatype, op, comm) Collective Act::Collective(MessageFlow::REDUCE_SCATTER);
    Ireduce_scatter + c (sendbuf, recvbuf, recvcounts, datatype, op, comm, request) Post Act::PostCollective(MessageFlow::REDUCE_SCATTER);
    Reduce_scatter_init + c (sendbuf, recvbuf, recvcounts, datatype, op, comm, info, request) Post Act::PrepareCollective(MessageFlow::REDUCE_SCATTER);
    Reduce_scatter_block + c (sendbuf, recvbuf, recvcount, datatype, op, comm) Collective Act::Collective(MessageFlow::REDUCE_SCATTER_BLOCK);
    Ireduce_scatter_block + c (sendbuf, recvbuf, recvcount, datatype, op, comm, request) Post Act::PostCollective(MessageFlow::REDUCE_SCATTER_BLOCK);
    Reduce_scatter_block_init + c (sendbuf, recvbuf, recvcount, datatype, op, comm, info, request) Post Act::PrepareCollective(MessageFlow::REDUCE_SCATTER_BLOCK);
    Neighbor_allgather + c (sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm) Collective Act::Collective(MessageFlow::NEIGHBOUR_GATHER);
    Ineighbor_allgather + c (sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm, request) Post Act::PostCollective(MessageFlow::NEIGHBOUR_GATHER);
    Neighbor_allgather_init + c (sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm, info, request) Post Act::PrepareCollective(MessageFlow::NEIGHBOUR_GATHER);
    Neighbor_allgatherv + c (sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, comm) Collective Act::Collective(MessageFlow::NEIGHBOUR_GATHER_LIST);
    Ineighbor_allgatherv + c (sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, comm, request) Post Act::PostCollective(MessageFlow::NEIGHBOUR_GATHER_LIST);
    Neighbor_allgatherv_init + c (sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, comm, info, request) Post Act::PrepareCollective(MessageFlow::NEIGHBOUR_GATHER_LIST);
    Neighbor_alltoall + c (sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm) Collective Act::Collective(MessageFlow::NEIGHBOUR_ALL);
    Ineighbor_alltoall + c (sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm, request) Post Act::PostCollective(MessageFlow::NEIGHBOUR_ALL);
    Neighbor_alltoall_init + c (sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm, info, request) Post Act::PrepareCollective(MessageFlow::NEIGHBOUR_ALL);
    Neighbor_alltoallv + c (sendbuf, sendcounts, sdispls, sendtype, recvbuf, recvcounts, rdispls, recvtype, comm) Collective Act::Collective(MessageFlow::NEIGHBOUR_ALL_LIST);
    Ineighbor_alltoallv + c (sendbuf, sendcounts, sdispls, sendtype, recvbuf, recvcounts, rdispls, recvtype, comm, request) Post Act::PostCollective(MessageFlow::NEIGHBOUR_ALL_LIST);
    Neighbor_alltoallv_init + c (sendbuf, sendcounts, sdispls, sendtype, recvbuf, recvcounts, rdispls, recvtype, comm, info, request) Post Act::PrepareCollective(MessageFlow::NEIGHBOUR_ALL_LIST);
    Neighbor_alltoallw + c (sendbuf, sendcounts, sdispls, sendtypes, recvbuf, recvcounts, rdispls, recvtypes, comm) Collective Act::Collective(MessageFlow::NEIGHBOUR_ALL_TYPED);
    Ineighbor_alltoallw + c (sendbuf, sendcounts, sdispls, sendtypes, recvbuf, recvcounts, rdispls, recvtypes, comm, request) Post Act::PostCollective(MessageFlow::NEIGHBOUR_ALL_TYPED);
    Neighbor_alltoallw_init + c (sendbuf, sendcounts, sdispls, sendtypes, recvbuf, recvcounts, rdispls, recvtypes, comm, info, request) Post Act::PrepareCollective(MessageFlow::NEIGHBOUR_ALL_TYPED);

    // One-sided communication.
    Put + c (origin_addr, origin_count, origin_datatype, target_rank, target_disp, target_count, target_datatype, win) OneSided Act::Window(Direction::Out);
    Get + c (origin_addr, origin_count, origin_datatype, target_rank, target_disp, target_count, target_datatype, win) OneSided Act::Window(Direction::In);
    Accumulate + c (origin_addr, origin_count, origin_datatype, target_rank, target_disp, target_count, target_datatype, op, win) OneSided Act::Window(Direction::Out);
    Get_accumulate + c (origin_addr, origin_count, origin_datatype, result_addr, result_count, result_datatype, target_rank, target_disp, target_count, target_datatype, op, win) OneSided Act::Window(Direction::Both);
    Fetch_and_op (origin_addr, result_addr, datatype, target_rank, target_disp, op, win) OneSided Act::Window(Direction::Both);
    Compare_and_swap (origin_addr, compare_addr, result_addr, datatype, target_rank, target_disp, win) OneSided Act::Window(Direction::Both);
    Rput + c (origin_addr, origin_count, origin_datatype, target_rank, target_disp, target_count, target_datatype, win, request) OneSided Act::PostWindow(Direction::Out);
    Rget + c (origin_addr, origin_count, origin_datatype, target_rank, target_disp, target_count, target_datatype, win, request) OneSided Act::PostWindow(Direction::In);
    Raccumulate + c (origin_addr, origin_count, origin_datatype, target_rank, target_disp, target_count, target_datatype, op, win, request) OneSided Act::PostWindow(Direction::Out);
    Rget_accumulate + c (origin_addr, origin_count, origin_datatype, result_addr, result_count, result_datatype, target_rank, target_disp, target_count, target_datatype, op, win, request) OneSided Act::PostWindow(Direction::Both);
    Win_fence (assertion, win) OneSided Act::Window(Direction::None);
    Win_lock (lock_type, rank, assertion, win) OneSided Act::Window(Direction::None);
    Win_lock_all (assertion, win) OneSided Act::Window(Direction::None);
    Win_unlock (rank, win) OneSided Act::Window(Direction::None);
    Win_unlock_all (win) OneSided Act::Window(Direction::None);
    Win_flush (rank, win) OneSided Act::Window(Direction::None);
    Win_flush_all (win) OneSided Act::Window(Direction::None);
    Win_flush_local (rank, win) OneSided Act::Window(Direction::None);
    Win_flush_local_all (win) OneSided Act::Window(Direction::None);
    Win_sync (win) OneSided Act::Window(Direction::None);
    Win_post (group, assertion, win) OneSided Act::Window(Direction::None);
    Win_start (group, assertion, win) OneSided Act::Window(Direction::None);
    Win_complete (win) OneSided Act::Window(Direction::None);
    Win_wait (win) OneSided Act::Window(Direction::None);
    Win_test (win, flag) OneSided Act::Window(Direction::None);
    Win_create + c (base, size, disp_unit, info, comm, win) Collective Act::MakeWindow;
    Win_allocate + c (size, disp_unit, info, comm, base, win) Collective Act::MakeWindow;
    Win_allocate_shared + c (size, disp_unit, info, comm, base, win) Collective Act::MakeWindow;
    Win_create_dynamic (info, comm, win) Collective Act::MakeWindow;
    Win_free (win) OneSided Act::FreeWindow;
    Win_set_name (win, name) MpiOther Act::NameWindow;

    // Files.
    File_open (comm, name, amode, info, fh) Open Act::OpenFile;
    File_close (fh) Close Act::CloseFile;
    File_delete (name, info) Metadata Act::Plain;
    File_read + c (fh, buf, count, datatype, status) MpiFile READ;
    File_read_all + c (fh, buf, count, datatype, status) MpiFile READ;
    File_read_shared + c (fh, buf, count, datatype, status) MpiFile READ;
    File_read_ordered + c (fh, buf, count, datatype, status) MpiFile READ;
    File_read_at + c (fh, offset, buf, count, datatype, status) MpiFile READ;
    File_read_at_all + c (fh, offset, buf, count, datatype, status) MpiFile READ;
    File_iread + c (fh, buf, count, datatype, request) MpiFile POST_READ;
    File_iread_all + c (fh, buf, count, datatype, request) MpiFile POST_READ;
    File_iread_shared + c (fh, buf, count, datatype, request) MpiFile POST_READ;
    File_iread_at + c (fh, offset, buf, count, datatype, request) MpiFile POST_READ;
    File_iread_at_all + c (fh, offset, buf, count, datatype, request) MpiFile POST_READ;
    File_read_all_begin + c (fh, buf, count, datatype) MpiFile Act::File(Direction::None);
    File_read_all_end (fh, buf, status) MpiFile READ;
    File_read_at_all_begin + c (fh, offset, buf, count, datatype) MpiFile Act::File(Direction::None);
    File_read_at_all_end (fh, buf, status) MpiFile READ;
    File_read_ordered_begin + c (fh, buf, count, datatype) MpiFile Act::File(Direction::None);
    File_read_ordered_end (fh, buf, status) MpiFile READ;
    File_write + c (fh, buf, count, datatype, status) MpiFile WRITE;
    File_write_all + c (fh, buf, count, datatype, status) MpiFile WRITE;
    File_write_shared + c (fh, buf, count, datatype, status) MpiFile WRITE;
    File_write_ordered + c (fh, buf, count, datatype, status) MpiFile WRITE;
    File_write_at + c (fh, offset, buf, count, datatype, status) MpiFile WRITE;
    File_write_at_all + c (fh, offset, buf, count, datatype, status) MpiFile WRITE;
    File_iwrite + c (fh, buf, count, datatype, request) MpiFile POST_WRITE;
    File_iwrite_all + c (fh, buf, count, datatype, request) MpiFile POST_WRITE;
    File_iwrite_shared + c (fh, buf, count, datatype, request) MpiFile POST_WRITE;
    File_iwrite_at + c (fh, offset, buf, count, datatype, request) MpiFile POST_WRITE;
    File_iwrite_at_all + c (fh, offset, buf, count, datatype, request) MpiFile POST_WRITE;
    File_write_all_begin + c (fh, buf, count, datatype) MpiFile Act::File(Direction::None);
    File_write_all_end (fh, buf, status) MpiFile WRITE;
    File_write_at_all_begin + c (fh, offset, buf, count, datatype) MpiFile Act::File(Direction::None);
    File_write_at_all_end (fh, buf, status) MpiFile WRITE;
    File_write_ordered_begin + c (fh, buf, count, datatype) MpiFile Act::File(Direction::None);
    File_write_ordered_end (fh, buf, status) MpiFile WRITE;
    File_sync (fh) MpiFileOther Act::File(Direction::None);
    File_seek (fh, offset, whence) MpiFileOther Act::File(Direction::None);
    File_seek_shared (fh, offset, whence) MpiFileOther Act::File(Direction::None);
    File_preallocate (fh, size) MpiFileOther Act::File(Direction::None);
    File_set_size (fh, size) MpiFileOther Act::File(Direction::None);
    File_get_size (fh, size) MpiFileOther Act::File(Direction::None);
    File_get_amode (fh, amode) MpiFileOther Act::File(Direction::None);
    File_get_group (fh, group) MpiFileOther Act::File(Direction::None);
    File_set_info (fh, info) MpiFileOther Act::File(Direction::None);
    File_get_info (fh, info) MpiFileOther Act::File(Direction::None);
    File_set_view (fh, displacement, etype, filetype, datarep, info) MpiFileOther Act::File(Direction::None);
    File_get_view (fh, displacement, etype, filetype, datarep) MpiFileOther Act::File(Direction::None);
    File_get_position (fh, offset) MpiFileOther Act::File(Direction::None);
    File_get_position_shared (fh, offset) MpiFileOther Act::File(Direction::None);
    File_get_byte_offset (fh, offset, displacement) MpiFileOther Act::File(Direction::None);
    File_set_atomicity (fh, atomic) MpiFileOther Act::File(Direction::None);
    File_get_atomicity (fh, flag) MpiFileOther Act::File(Direction::None);

    // Communicators.
    Comm_dup (comm, newcomm) Collective Act::MakeCommunicator(Derivation::Whole);
    Comm_dup_with_info (comm, info, newcomm) Collective Act::MakeCommunicator(Derivation::Whole);
    Comm_idup (comm, newcomm, request) Post Act::MakeCommunicator(Derivation::Whole);
    Comm_idup_with_info (comm, info, newcomm, request) Post Act::MakeCommunicator(Derivation::Whole);
    Comm_split (comm, color, key, newcomm) Collective Act::MakeCommunicator(Derivation::Part);
    Comm_split_type (comm, split_type, key, info, newcomm) Collective Act::MakeCommunicator(Derivation::Part);
    Comm_create (comm, group, newcomm) Collective Act::MakeCommunicator(Derivation::Part);
    Comm_create_group (comm, group, tag_of_group, newcomm) Collective Act::MakeCommunicator(Derivation::Group);
    Comm_create_from_group (group, stringtag, info, errhandler, newcomm) Collective Act::MakeCommunicator(Derivation::Group);
    Cart_create (comm, ndims, dims, periods, reorder, newcomm) Collective Act::MakeCommunicator(Derivation::Part);
    Cart_sub (comm, remain_dims, newcomm) Collective Act::MakeCommunicator(Derivation::Part);
    Graph_create (comm, nnodes, index_of_node, edges, reorder, newcomm) Collective Act::MakeCommunicator(Derivation::Part);
    Dist_graph_create (comm, n, sources, degrees, destinations, weights, info, reorder, newcomm) Collective Act::MakeCommunicator(Derivation::Whole);
    Dist_graph_create_adjacent (comm, indegree, sources, sourceweights, outdegree, destinations, destweights, info, reorder, newcomm) Collective Act::MakeCommunicator(Derivation::Whole);
    Intercomm_create (comm, local_leader, peer_comm, remote_leader, tag_of_leaders, newcomm) Collective Act::MakeCommunicator(Derivation::Meeting);
    Intercomm_create_from_groups (local_group, local_leader, remote_group, remote_leader, stringtag, info, errhandler, newcomm) Collective Act::MakeCommunicator(Derivation::Meeting);
    Intercomm_merge (intercomm, high, newcomm) Collective Act::MakeCommunicator(Derivation::Whole);
    Comm_spawn (command, argv, maxprocs, info, root_process, comm, newcomm, errcodes) Collective Act::MakeCommunicator(Derivation::Meeting);
    Comm_spawn_multiple (number, commands, argvs, maxprocs, infos, root_process, comm, newcomm, errcodes) Collective Act::MakeCommunicator(Derivation::Meeting);
    Comm_accept (port, info, root_process, comm, newcomm) Collective Act::MakeCommunicator(Derivation::Meeting);
    Comm_connect (port, info, root_process, comm, newcomm) Collective Act::MakeCommunicator(Derivation::Meeting);
    Comm_join (descriptor, newcomm) Collective Act::MakeCommunicator(Derivation::Meeting);
    Comm_free (comm) Collective Act::FreeCommunicator;
    Comm_disconnect (comm) Collective Act::FreeCommunicator;
    Comm_set_name (comm, name) MpiOther Act::NameCommunicator;

    // Beginning and end.
    Init (argc, argv) Setup Act::Initialize;
    Init_thread (argc, argv, required, provided) Setup Act::Initialize;
    Finalize () Barrier Act::Finish;
    Abort (comm, errorcode) MpiOther Act::Plain;
    Session_init (info, errhandler, session) Setup Act::Plain;
    Session_finalize (session) Barrier Act::Plain;
}

#[rustfmt::skip]
functions! {
    through completion::run;

    Wait (request, status) Wait Act::Complete(Completion::One);
    Waitall (incount, requests, statuses) Wait Act::Complete(Completion::All);
    Waitany (incount, requests, index, status) Wait Act::Complete(Completion::Any);
    Waitsome (incount, requests, outcount, indices, statuses) Wait Act::Complete(Completion::Some);
    Test (request, flag, status) Wait Act::Complete(Completion::One);
    Testall (incount, requests, flag, statuses) Wait Act::Complete(Completion::All);
    Testany (incount, requests, index, flag, status) Wait Act::Complete(Completion::Any);
    Testsome (incount, requests, outcount, indices, statuses) Wait Act::Complete(Completion::Some);
}
