-- Reads of the audit log of a page by who made a change, what changed and how, newest first.

create index audit_log_actor on audit_log (page_id, actor_id, id);
create index audit_log_target on audit_log (page_id, target_id, id);
create index audit_log_action on audit_log (page_id, action, id);
