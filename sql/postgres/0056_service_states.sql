-- Services that answer too slowly, services without checks, and what people say of the state of a service.

alter table monitors
  add column degraded_over_ms integer check (degraded_over_ms between 1 and 60000),
  add column slow_checks integer not null default 0,
  add column degraded_since timestamptz,
  add column hidden boolean not null default false,
  add column description text not null default '' check (char_length(description) <= 300),
  add column descriptions jsonb not null default '{}',
  add column link text check (char_length(link) <= 500),
  drop constraint monitors_kind_check,
  add constraint monitors_kind_check check (kind in ('http', 'tcp', 'heartbeat', 'manual')),
  drop constraint monitors_url_given,
  add constraint monitors_url_given check ((kind in ('heartbeat', 'manual')) = (url is null));
comment on column monitors.degraded_over_ms is 'A check that passes and takes longer is slow; null when none is';
comment on column monitors.slow_checks is 'Slow checks in a row; failed ones in between change nothing';
comment on column monitors.degraded_since is 'Since as many checks in a row were slow as must fail for down; null while it is not degraded';
comment on column monitors.hidden is 'Not shown in public; it is checked as any other';
comment on column monitors.description is 'For visitors, in the default language of the page; descriptions has it in others';
comment on column monitors.link is 'Where visitors find the service';

alter table monitor_groups add column collapsed boolean not null default false;
comment on column monitor_groups.collapsed is 'The page shows the group closed while all of its services are operational';

alter table incidents add column impact text check (impact in ('none', 'minor', 'major', 'critical'));
comment on column incidents.impact is 'null when nobody has said it; maintenance has none';

alter table incident_monitors
  add column state text check (state in ('operational', 'degraded', 'partial_outage', 'major_outage'));
comment on column incident_monitors.state is 'What the incident says of the service; null when it says nothing of this one';

alter table announcements add column impact text;
comment on column announcements.impact is 'Of the incident right after the change';
