-- A team hears of an outage before its customers do, with what was measured.

alter table announcements add column after_alarm_id uuid;
comment on column announcements.after_alarm_id is 'The alarm that the team is told of first: deliveries wait for its messages, for half a minute at most; null when nobody is';
alter table alert_rules add column evidence jsonb;
comment on column alert_rules.evidence is 'What was counted when the incident of the rule was opened, with the worst endpoints; null without an incident, and in one that an earlier version opened';
