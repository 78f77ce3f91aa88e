-- Webhooks that are deleted, and the list of parked emails.

alter table webhooks
  add column deleted_at timestamptz,
  add check (deleted_at is null or disabled_at is not null);
comment on column webhooks.deleted_at is 'It is gone for everybody, and so are its secrets; a job removes the row with its deliveries';

create index emails_parked on emails (page_id, id) where state = 'parked';
