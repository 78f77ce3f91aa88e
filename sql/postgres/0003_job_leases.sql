-- Which instance runs a scheduled job, and until when. A lease outlives its holder by its length at most.
CREATE TABLE job_leases (
  job text PRIMARY KEY,
  holder uuid NOT NULL,
  expires_at timestamptz NOT NULL,
  started_at timestamptz NOT NULL,
  finished_at timestamptz
);
COMMENT ON TABLE job_leases IS 'One row per scheduled job: its last run, and the lease that keeps it from running twice at a time';
