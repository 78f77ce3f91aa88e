-- Outbound webhooks of pages, and each delivery with its attempts.

create table webhooks (
  id uuid primary key,
  page_id uuid not null references pages,
  url text not null,
  secret bytea not null,
  previous_secret bytea,
  previous_secret_until timestamptz,
  created_at timestamptz not null,
  disabled_at timestamptz,
  disabled_reason text,
  check ((previous_secret is null) = (previous_secret_until is null)),
  check ((disabled_at is null) = (disabled_reason is null))
);
comment on column webhooks.secret is 'Encrypted with HEARTLINE_SECRET_KEY: it has to be known to sign with';
comment on column webhooks.previous_secret is 'Signs beside the new one until previous_secret_until, so that a receiver can change over';
create index webhooks_page_id on webhooks (page_id);

create table webhook_deliveries (
  id uuid primary key,
  page_id uuid not null references pages,
  webhook_id uuid not null references webhooks on delete cascade,
  announcement_id uuid references announcements on delete cascade,
  queue uuid not null,
  seq bigint,
  kind text not null,
  body text not null,
  state text not null default 'pending' check (state in ('pending', 'delivered', 'parked')),
  attempts integer not null default 0,
  attempts_before integer not null default 0,
  next_attempt_at timestamptz not null,
  claimed_until timestamptz,
  reason text,
  created_at timestamptz not null,
  finished_at timestamptz,
  check ((announcement_id is null) = (seq is null)),
  check ((state = 'parked') = (reason is not null)),
  check ((state = 'pending') = (finished_at is null)),
  constraint webhook_deliveries_once unique (webhook_id, announcement_id)
);
comment on column webhook_deliveries.id is 'Sent as webhook-id, the same on every attempt';
comment on column webhook_deliveries.queue is 'The incident, whose deliveries to one webhook follow each other; a test is a queue of its own';
comment on column webhook_deliveries.seq is 'Of the announcement: in a queue none starts before the ones of lower seq are delivered or parked';
comment on column webhook_deliveries.body is 'Exactly the bytes that are sent and signed';
comment on column webhook_deliveries.attempts is 'Counted when an attempt starts; one that a crash cut off has no row in webhook_attempts';
comment on column webhook_deliveries.attempts_before is 'Attempts before the last replay; pauses and the limit count from there';
comment on column webhook_deliveries.claimed_until is 'An instance is at it; after that time it is taken to have died';
create index webhook_deliveries_pending on webhook_deliveries (webhook_id, queue, seq) where state = 'pending';
create index webhook_deliveries_webhook_id on webhook_deliveries (webhook_id, created_at, seq);
create index webhook_deliveries_created_at on webhook_deliveries (created_at);
create index webhook_deliveries_announcement_id on webhook_deliveries (announcement_id);
-- A delivery waits while an earlier announcement of its incident is not turned into deliveries yet.
create index announcements_webhooks_order on announcements (incident_id, seq) where webhooks_queued_at is null;

create table webhook_attempts (
  delivery_id uuid not null references webhook_deliveries on delete cascade,
  attempt integer not null,
  at timestamptz not null,
  duration_ms integer not null,
  status integer,
  error text,
  answer text,
  primary key (delivery_id, attempt)
);
comment on column webhook_attempts.error is 'Why it failed: a class, a colon and a sentence; null when it succeeded';
comment on column webhook_attempts.answer is 'Start of what the receiver answered, for the person who looks for what is wrong';
