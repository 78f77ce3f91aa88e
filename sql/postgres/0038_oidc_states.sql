-- Answers of the identity provider that were used, so that none is used twice.

create table oidc_states (
  state_hash bytea primary key check (octet_length(state_hash) = 32),
  expires_at timestamptz not null
);
comment on table oidc_states is 'SHA-256 of the state of each answer; a row is needed until the sealed cookie that goes with it ends';
create index oidc_states_expires_at on oidc_states (expires_at);
