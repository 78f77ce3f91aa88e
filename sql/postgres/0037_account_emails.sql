-- Email to people with an account: invitations, and links to choose a new password. It belongs to no page.

create table account_emails (
  id uuid primary key,
  kind text not null check (kind in ('invitation', 'reset')),
  recipient text not null check (char_length(recipient) between 3 and 254),
  language text not null,
  content bytea,
  state text not null default 'pending' check (state in ('pending', 'delivered', 'parked')),
  attempts integer not null default 0,
  next_attempt_at timestamptz not null,
  claimed_until timestamptz,
  reason text,
  created_at timestamptz not null,
  expires_at timestamptz not null,
  finished_at timestamptz,
  check ((state = 'pending') = (content is not null)),
  check ((state = 'pending') = (finished_at is null))
);
comment on table account_emails is 'Invitations and links to choose a new password, until they are sent or too old';
comment on column account_emails.content is 'What the email says, its link included; encrypted with HEARTLINE_SECRET_KEY, and gone once the email is sent or given up';
comment on column account_emails.expires_at is 'When the link in it ends: it is not sent any more';
create index account_emails_due on account_emails (next_attempt_at) where state = 'pending';
create index account_emails_created_at on account_emails (created_at);
