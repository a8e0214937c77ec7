"""A sweep as SLURM jobs: submitted as arrays, followed through files and the queue, found again by the same command."""
