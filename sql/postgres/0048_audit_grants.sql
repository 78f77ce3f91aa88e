-- The audit log is appended to, and old rows are deleted; nothing else is a right of the service. Superusers need no
-- rights, so for them the triggers alone hold.

revoke update, truncate on audit_log from public;

do $$
begin
  if not (select rolsuper from pg_roles where rolname = current_user) then
    revoke update, truncate on audit_log from current_user;
  end if;
end
$$;
