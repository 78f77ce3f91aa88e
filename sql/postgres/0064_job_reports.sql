-- Jobs say that they failed.

-- An instance of the previous version takes no such reports, and leaves the column as it is.
alter table monitors add column ping_failure text;
comment on column monitors.ping_failure is 'Sentence on the failure that the newest ping reported; null when it reported success';
