-- One switch of the installation, in place of a variable that needs a restart.

-- At most one row. Without one, private addresses are allowed where the service has no public address of its own.
create table private_addresses (
  only_row boolean primary key default true check (only_row),
  allowed boolean not null,
  changed_at timestamptz not null
);
comment on table private_addresses is 'Whether URLs that tenants choose may lead to private networks, as the installation has chosen';
