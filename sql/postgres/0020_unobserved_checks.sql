-- Checks that could not be made, and since when checks have failed.

alter table monitors
  add column failing_since timestamptz,
  add column unobserved_since timestamptz;
comment on column monitors.state is 'null until a check has passed, or enough have failed in a row';
comment on column monitors.last_checked_at is 'Of the last check that was made';
comment on column monitors.last_error is 'Why the last check failed, or could not be made: a class, a colon and a sentence; null when it passed';
comment on column monitors.failing_since is 'First of the failed checks in a row; null when the last check passed';
comment on column monitors.unobserved_since is 'First of the last checks that could not be made, for a reason that is not the target''s; null when the last one was made';

-- A heartbeat passed its checks before it was ever called. Nothing is known of it.
update monitors set state = null, state_since = null, last_checked_at = null, last_error = null, failures = 0
where kind = 'heartbeat' and last_ping_at is null;
