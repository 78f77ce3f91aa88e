-- The alert rule of a page becomes one of its rules, and what channels were told of by themselves becomes rules that each page
-- begins with: monitors that are down, certificates that end, reporters that are silent.

alter table alerts add column ending jsonb;
comment on column alerts.ending is '{"title": …, "text": …, "facts": […]} of the message that it is over; null when a person or a change of the rule ended it';

-- A UUID of version 7, as the service makes them: alerts are listed by id, the newest first.
create function pg_temp.id_at(at timestamptz) returns uuid language sql volatile as $$
  select (lpad(to_hex((extract(epoch from at) * 1000)::bigint), 12, '0') || '7' || substr(md5(random()::text), 1, 3) || '8'
    || substr(md5(random()::text), 1, 15))::uuid
$$;

insert into rules (id, page_id, slug, name, kind, target, condition, for_seconds, resolve_for_seconds, no_data, severity,
  opens_incident, created_at, updated_at)
select pg_temp.id_at(now()), p.id, d.slug, d.name, d.kind, '{}', d.condition::jsonb, 0, 0, 'ok', d.severity, null, now(), now()
from pages p cross join (values
  ('monitors-down', 'Monitors are down', 'monitor', '{"is": "down"}', 'page'),
  ('certificates-end', 'Certificates end', 'monitor', '{"certificateDays": 14}', 'ticket'),
  ('reporters-silent', 'Reporters are silent', 'reporter', '{"is": "silent"}', 'ticket')
) d (slug, name, kind, condition, severity)
on conflict (page_id, slug) do nothing;

insert into rules (id, page_id, slug, name, kind, target, condition, for_seconds, resolve_for_seconds, no_data, severity,
  opens_incident, created_at, updated_at)
select pg_temp.id_at(created_at), page_id, 'failure-rate', 'Failure rate', 'failure-rate', '{}',
  jsonb_build_object('percent', threshold_percent, 'windowMinutes', window_seconds / 60, 'requestsMin', requests_min),
  0, 0, 'keep', 'page', '{"template": null}', created_at, now()
from alert_rules
on conflict (page_id, slug) do nothing;

-- What was told and lasts stays told: its end goes to those who heard of the start.
create temporary table begun on commit drop as
select a.page_id, r.id as rule_id, a.alarm_id, a.told_with, a.since,
  case when a.told_with = 1 then a.alarm_id else pg_temp.id_at(a.since) end as id,
  to_timestamp(('x' || substr(replace(a.alarm_id::text, '-', ''), 1, 12))::bit(48)::bigint / 1000.0) as told_at,
  case when a.topic = 'reporter' then case
      when a.subject like 'reporter %' and not exists (
        select 1 from sources s where s.page_id = a.page_id and s.source = a.subject) then a.subject
      when exists (select 1 from sources s where s.page_id = a.page_id and s.source = a.subject and s.kind = 'reporter')
        and not exists (
          select 1 from sources s where s.page_id = a.page_id and s.source = a.subject and s.kind = 'service')
        then 'reporter ' || a.subject
      else 'service ' || a.subject end
    else coalesce(m.slug, a.subject) end as group_key,
  a.name as group_name,
  case a.topic when 'reporter' then a.name || ' is silent' when 'certificate'
    then 'The certificate of ' || a.name || ' is about to end' else a.name || ' is down' end as title,
  case a.topic when 'certificate' then 14 end as threshold,
  null::uuid as incident_id, jsonb_build_object('since', a.since) as evidence
from alarms a
  join rules r on r.page_id = a.page_id and r.slug = case a.topic when 'monitor' then 'monitors-down'
    when 'certificate' then 'certificates-end' when 'reporter' then 'reporters-silent' end
  left join monitors m on m.page_id = a.page_id and m.id::text = a.subject;

insert into begun
select r.page_id, r.id, coalesce(a.alarm_id, i.id), 1, i.started_at, coalesce(a.alarm_id, i.id), i.started_at, '', '',
  coalesce(round(100.0 * (o.evidence ->> 'errors')::numeric / nullif((o.evidence ->> 'requests')::numeric, 0), 1) || ' %', 'Many')
    || ' of the requests fail',
  o.threshold_percent, i.id,
  coalesce(o.evidence || jsonb_build_object('from', to_char((o.evidence ->> 'to')::timestamptz at time zone 'UTC'
    - o.window_seconds * interval '1 second', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')), '{}')
from alert_rules o join incidents i on i.id = o.incident_id
  join rules r on r.page_id = o.page_id and r.slug = 'failure-rate'
  left join alarms a on a.page_id = o.page_id and a.topic = 'failure-rate';

insert into alerts (id, page_id, rule_id, rule_slug, rule_name, kind, group_key, group_name, severity, title, threshold,
  evidence, started_at, told_at, told_batch, told_with, incident_id)
select b.id, b.page_id, b.rule_id, r.slug, r.name, r.kind, b.group_key, b.group_name, r.severity, b.title, b.threshold,
  b.evidence, b.since, b.told_at, b.alarm_id, b.told_with, b.incident_id
from begun b join rules r on r.id = b.rule_id
on conflict do nothing;
insert into rule_groups (rule_id, group_key, state, since, alert_id)
select rule_id, group_key, 'firing', started_at, id from alerts where resolved_at is null
on conflict (rule_id, group_key) do nothing;

-- An instance of the version before finds no rule, and cannot tell for a second time.
delete from alert_rules;
alter table alert_rules add constraint alert_rules_moved check (false);
comment on table alert_rules is 'Empty: the rule is the one of rules with the slug failure-rate. Instances of the version before still read it';
delete from alarms where topic <> 'deliveries';
alter table alarms add constraint alarms_deliveries_only check (topic = 'deliveries');
