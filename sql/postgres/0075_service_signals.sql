-- An SDK sends spans and metrics of the same requests. This says which of the two counts, for every instance.

create table service_signals (
  page_id uuid not null,
  service text not null,
  protocol text not null check (protocol in ('http', 'rpc')),
  spans_until timestamptz,
  metrics_from timestamptz,
  metrics_at timestamptz,
  primary key (page_id, service, protocol)
);
comment on table service_signals is 'Which signal of OpenTelemetry counts the requests of a service, by the time at which a request ended';
comment on column service_signals.page_id is 'Without a reference, which would cost a lock on the page for each change';
comment on column service_signals.spans_until is 'Instances may count spans that end until then without asking again';
comment on column service_signals.metrics_from is 'From then on metrics count and spans do not; null while spans count';
comment on column service_signals.metrics_at is 'The end of the newest data point, to a minute; five minutes later spans count again';
