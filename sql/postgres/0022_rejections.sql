-- Events that were not counted, and why, so that their sender can find the fault.

create table rejected_events (
  page_id uuid not null references pages,
  minute timestamptz not null,
  reason text not null,
  events bigint not null,
  primary key (page_id, minute, reason)
);
comment on table rejected_events is 'Diagnostics: what an instance counted in its last seconds before a crash is missing';
comment on column rejected_events.minute is 'Of their arrival';
create index rejected_events_minute on rejected_events (minute);

create table rejection_messages (
  page_id uuid not null references pages,
  reason text not null,
  at timestamptz not null,
  service text,
  message text not null,
  primary key (page_id, reason)
);
comment on table rejection_messages is 'The newest rejected event of each reason';
comment on column rejection_messages.service is 'The service or reporter that sent it; null when the event did not say';
create index rejection_messages_at on rejection_messages (at);
