"""What the processes of a server share: jobs, pipes, listeners, signals, forks; and the supervisor of workers."""
