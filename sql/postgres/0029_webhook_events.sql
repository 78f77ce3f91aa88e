-- Which events a webhook receives, and when the owners of its page last got an email about its failures.

alter table webhooks
  add column events text[] check (cardinality(events) between 1 and 12),
  add column owners_told_at timestamptz,
  add column owners_told_of text check (owners_told_of in ('parked', 'disabled')),
  add check ((owners_told_at is null) = (owners_told_of is null));
comment on column webhooks.events is 'Names of events, and incident.* or maintenance.*; null for every event';
comment on column webhooks.owners_told_at is 'When the last email about it was queued: one a day, and one more when it is disabled on that day; it starts over when the webhook is enabled';
