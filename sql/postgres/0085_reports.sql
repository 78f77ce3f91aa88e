-- Reports of a week or a month by email.

create table report_settings (
  page_id uuid primary key references pages,
  every text check (every in ('weekly', 'monthly')),
  to_subscribers boolean not null,
  covered text not null check (covered ~ '^\d{4}-\d\d-\d\d$'),
  updated_at timestamptz not null
);
comment on column report_settings.every is 'null when none is sent';
comment on column report_settings.covered is 'First day of the last week or month that was reported, or that ended before reports were turned on';

create table report_recipients (
  page_id uuid not null references report_settings on delete cascade,
  user_id uuid not null references users on delete cascade,
  primary key (page_id, user_id)
);
comment on table report_recipients is 'People who get the reports of a page, for as long as they have a role on it';
create index report_recipients_user_id on report_recipients (user_id);

create table reports (
  id uuid primary key,
  page_id uuid not null references pages,
  every text not null check (every in ('weekly', 'monthly')),
  first_day text not null,
  content jsonb not null,
  public_content jsonb not null,
  created_at timestamptz not null,
  unique (page_id, every, first_day)
);
comment on table reports is 'Reports that were sent, as they were then; a page never sends one twice';
comment on column reports.public_content is 'What subscribers get: nothing that the status page does not show';
create index reports_created_at on reports (created_at);

create table report_emails (
  id uuid primary key,
  page_id uuid not null references pages,
  report_id uuid not null references reports on delete cascade,
  user_id uuid references users on delete cascade,
  subscriber_id uuid references subscribers on delete cascade,
  recipient text not null check (char_length(recipient) between 3 and 254),
  state text not null default 'pending' check (state in ('pending', 'delivered', 'parked')),
  attempts integer not null default 0,
  next_attempt_at timestamptz not null,
  claimed_until timestamptz,
  reason text,
  created_at timestamptz not null,
  finished_at timestamptz,
  constraint report_emails_once unique (report_id, recipient),
  check ((user_id is null) <> (subscriber_id is null)),
  check ((state = 'pending') = (finished_at is null))
);
comment on table report_emails is 'One for each recipient of a report';
create index report_emails_due on report_emails (page_id, next_attempt_at) where state = 'pending';
create index report_emails_user_id on report_emails (user_id);
create index report_emails_subscriber_id on report_emails (subscriber_id);
create index report_emails_created_at on report_emails (created_at);
