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
  disabled_reason text
);
comment on column webhooks.secret is 'Encrypted with HEARTLINE_SECRET_KEY: it has to be known to sign with';
comment on column webhooks.previous_secret is 'Signs beside the new one until previous_secret_until, so that a receiver can change over';
create index webhooks_page_id on webhooks (page_id);

create table webhook_deliveries (
  id uuid primary key,
  page_id uuid not null references pages,
  webhook_id uuid not null references webhooks on delete cascade,
  announcement_id uuid references announcements on delete cascade,
  incident_id uuid,
  seq bigint generated always as identity,
  kind text not null,
  body text not null,
  state text not null default 'pending' check (state in ('pending', 'delivered', 'parked')),
  attempts integer not null default 0,
  next_attempt_at timestamptz not null,
  claimed_until timestamptz,
  reason text,
  created_at timestamptz not null,
  finished_at timestamptz,
  constraint webhook_deliveries_once unique (webhook_id, announcement_id)
);
comment on column webhook_deliveries.id is 'Sent as webhook-id, the same on every attempt';
comment on column webhook_deliveries.seq is 'Of one incident a webhook gets its deliveries in this order: none starts before the one before it is delivered or parked';
comment on column webhook_deliveries.body is 'Exactly the bytes that are sent and signed';
create index webhook_deliveries_due on webhook_deliveries (webhook_id, next_attempt_at) where state = 'pending';
create index webhook_deliveries_order on webhook_deliveries (webhook_id, incident_id, seq) where state = 'pending';
create index webhook_deliveries_created_at on webhook_deliveries (created_at);

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
comment on column webhook_attempts.answer is 'Start of what the receiver answered, for the person who looks for what is wrong';
