//! A world without machines: programs made of phases, under virtual time.
