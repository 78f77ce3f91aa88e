-- Incidents that are opened because a monitor is down, where a page wants that.

alter table pages add column incidents_from_monitors boolean not null default false;
comment on column pages.incidents_from_monitors is 'Whether a monitor that goes down opens an incident';

alter table monitors add column incident_id uuid references incidents on delete set null;
comment on column monitors.incident_id is 'Set until the monitor is up again, also after someone resolved the incident by hand: one incident per outage';
create index monitors_incident_id on monitors (incident_id) where incident_id is not null;
create index monitors_down on monitors (page_id) where state = 'down';
