-- The service that a reporter is an instance of: its events count for the service, its calls for itself.

-- An instance of the previous version does not write it: it counts the events for the reporter, as before.
alter table sources add column service text;
comment on column sources.service is 'Service that a reporter names; no reference, because the service has a row once it has events';
