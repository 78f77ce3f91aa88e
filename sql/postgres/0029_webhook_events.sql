-- Which events a webhook receives, and mail to the owners of a page when deliveries fail for good.

-- In this order, which is that of the transactions that write several of these tables.
alter table pages
  add column owner_emails text[] not null default '{}' check (cardinality(owner_emails) <= 5);
comment on column pages.owner_emails is 'In lower case. They hear of what only the people who run the page can mend';

alter table webhooks
  add column events text[] check (cardinality(events) between 1 and 12),
  add column owners_told_at timestamptz,
  add column owners_told_of text check (owners_told_of in ('parked', 'disabled')),
  add check ((owners_told_at is null) = (owners_told_of is null));
comment on column webhooks.events is 'Names of events, and incident.* or maintenance.*; null for every event. An instance of the previous version queues every event';
comment on column webhooks.owners_told_at is 'When the last email about it was queued: one a day, and one more when it is disabled on that day';

-- An instance of the previous version claims a notice, and leaves it. It is due again when that claim ends.
alter table emails
  alter column subscriber_id drop not null,
  add column recipient text check (char_length(recipient) between 3 and 254),
  add column notice jsonb,
  drop constraint emails_kind_check,
  add constraint emails_kind_check check (kind in ('confirmation', 'announcement', 'notice')),
  add check ((kind = 'notice') = (subscriber_id is null)),
  add check ((kind = 'notice') = (recipient is not null)),
  add check ((kind = 'notice') = (notice is not null));
comment on column emails.subscriber_id is 'Null for a notice, which goes to recipient, an owner of the page';
comment on column emails.notice is 'What the owner hears of, as it was when the notice was queued';
