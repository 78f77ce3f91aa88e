-- Translations that a person wrote, and incidents that can be deleted.

alter table translations add column by_person boolean not null default false;
comment on column translations.by_person is 'Written or corrected by a person; the machine never overwrites it';

-- Somebody may delete the incident of an outage that lasts. The id stays where it is until the outage is over: without it,
-- the outage would open another incident at once.
alter table monitors drop constraint monitors_incident_id_fkey;
comment on column monitors.incident_id is 'Set until the monitor is up again, also after someone resolved or deleted the incident by hand: one incident per outage';
alter table alert_rules drop constraint alert_rules_incident_id_fkey;
comment on column alert_rules.incident_id is 'Set while an outage lasts, also after someone resolved or deleted the incident by hand: one incident per outage';
