"""A ring of mpi4py ranks that pass an object and an array on; expect 100 sends and receives of each per rank.

run: mpirun -n 2 python3 ring.py
expect: one line with the same sum every time
"""
from array import array

from mpi4py import MPI

ROUNDS = 100
TAG_OBJECT, TAG_ARRAY = 1, 2


def main():
    world = MPI.COMM_WORLD
    rank, ranks = world.Get_rank(), world.Get_size()
    right, left = (rank + 1) % ranks, (rank - 1) % ranks
    total = 0
    values = array("i", range(rank, rank + 10))
    received = array("i", [0] * 10)
    for round in range(ROUNDS):
        total += world.sendrecv({"round": round, "from": rank}, right, TAG_OBJECT, source=left, recvtag=TAG_OBJECT)["round"]
        world.Sendrecv([values, MPI.INT], right, TAG_ARRAY, [received, MPI.INT], left, TAG_ARRAY)
        total += sum(received)
    everything = world.reduce(total, MPI.SUM, 0)
    if rank == 0:
        print("ring: sum", everything)


main()
