-- Answers to alerts by the links that channels get, and monitors that stand behind others.

alter table audit_log drop constraint audit_log_actor_type_check;
-- Rows of before meet the narrower check, so none is looked at again.
alter table audit_log add constraint audit_log_actor_type_check
  check (actor_type in ('user', 'key', 'cli', 'job', 'channel')) not valid;

alter table monitors add column depends_on text[] not null default '{}';
comment on column monitors.depends_on is 'Slugs of monitors of the page: while one of them is down, alerts about this one are held back';
