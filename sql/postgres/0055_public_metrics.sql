alter table pages add column public_metrics boolean not null default false;
comment on column pages.public_metrics is 'Whether anybody may read the state of the monitors in the formats of Prometheus';
