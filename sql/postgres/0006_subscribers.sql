-- Who gets email of a page's incidents, who must not, and each email with its state.

create table subscribers (
  id uuid primary key,
  page_id uuid not null references pages,
  email text not null check (char_length(email) between 3 and 254),
  language text not null,
  created_at timestamptz not null,
  requested_at timestamptz not null,
  confirmed_at timestamptz,
  confirmation_sent_at timestamptz,
  constraint subscribers_email_unique unique (page_id, email)
);
comment on table subscribers is 'Addresses that asked for email; only those that confirmed get any beside the confirmation';
comment on column subscribers.email is 'In lower case';
comment on column subscribers.requested_at is 'When somebody last asked for email to it; without a confirmation it is forgotten some days later';
comment on column subscribers.confirmation_sent_at is 'Last attempt to send the link, which is good for two days from then; null once it was used up by unsubscribing';
create index subscribers_confirmed on subscribers (page_id, id) where confirmed_at is not null;
create index subscribers_unconfirmed on subscribers (page_id, requested_at) where confirmed_at is null;

create table suppressions (
  page_id uuid not null references pages,
  email text not null,
  reason text not null check (reason in ('unsubscribed', 'bounced')),
  created_at timestamptz not null,
  primary key (page_id, email)
);
comment on table suppressions is 'Addresses that get nothing, whatever else is stored of them, until they confirm again or an operator lifts it';

create table emails (
  id uuid primary key,
  page_id uuid not null references pages,
  subscriber_id uuid not null references subscribers on delete cascade,
  kind text not null check (kind in ('confirmation', 'announcement')),
  announcement_id uuid references announcements on delete cascade,
  state text not null default 'pending' check (state in ('pending', 'delivered', 'parked')),
  attempts integer not null default 0,
  next_attempt_at timestamptz not null,
  claimed_until timestamptz,
  reason text,
  created_at timestamptz not null,
  finished_at timestamptz,
  constraint emails_once unique (announcement_id, subscriber_id),
  check ((kind = 'announcement') = (announcement_id is not null))
);
comment on column emails.id is 'Part of the Message-ID, the same on every attempt';
comment on column emails.attempts is 'Attempts begun; one that a crash cut short counts';
comment on column emails.reason is 'Of the last failure, or of being parked';
create index emails_due on emails (page_id, kind desc, next_attempt_at) where state = 'pending';
create index emails_subscriber_id on emails (subscriber_id);
create index emails_page_id on emails (page_id, id);
create index emails_created_at on emails (created_at);
