-- Mail to the owners of a page when deliveries fail for good.

-- An instance of the previous version claims a notice, and leaves it. It is due again when that claim ends,
-- and each such claim counts as an attempt.
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
comment on column emails.notice is 'What the notice says, as it was when it was queued';
