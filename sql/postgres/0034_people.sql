-- People who sign in, what they may do on which page, and the links that let them in.

create table users (
  id uuid primary key,
  email text not null constraint users_email_unique unique check (email = lower(email) and char_length(email) between 3 and 254),
  name text not null check (char_length(name) between 1 and 200),
  password_hash bytea,
  password_salt bytea,
  password_parameters jsonb,
  totp_secret bytea,
  totp_confirmed_at timestamptz,
  totp_last_step bigint,
  oidc_issuer text,
  oidc_subject text,
  is_admin boolean not null default false,
  language text,
  disabled_at timestamptz,
  last_signed_in_at timestamptz,
  created_at timestamptz not null,
  constraint users_oidc_unique unique (oidc_issuer, oidc_subject),
  check ((password_hash is null) = (password_salt is null)),
  check ((password_hash is null) = (password_parameters is null)),
  check ((oidc_issuer is null) = (oidc_subject is null))
);
comment on table users is 'People; an account without a password signs in with the identity provider, or through a reset link';
comment on column users.password_parameters is 'Those of scrypt with which the hash was made: {"N", "r", "p"}';
comment on column users.totp_secret is 'Encrypted with HEARTLINE_SECRET_KEY; asked for once it is confirmed';
comment on column users.totp_last_step is 'Step of the last code that was used; none up to it works again';

create table recovery_codes (
  user_id uuid not null references users on delete cascade,
  code_hash bytea not null check (octet_length(code_hash) = 32),
  used_at timestamptz,
  primary key (user_id, code_hash)
);
comment on table recovery_codes is 'Each signs in once in place of a code of the app; SHA-256';

create table user_sessions (
  id uuid primary key,
  user_id uuid not null references users on delete cascade,
  token_hash bytea not null constraint user_sessions_token_unique unique check (octet_length(token_hash) = 32),
  created_at timestamptz not null,
  last_seen_at timestamptz not null,
  expires_at timestamptz not null,
  address text not null,
  user_agent text not null
);
comment on column user_sessions.token_hash is 'SHA-256 of the cookie, which is kept nowhere';
comment on column user_sessions.expires_at is '30 days after the last use, to the hour';
create index user_sessions_user_id on user_sessions (user_id);
create index user_sessions_expires_at on user_sessions (expires_at);

create table page_roles (
  page_id uuid not null references pages,
  user_id uuid not null references users on delete cascade,
  role text not null check (role in ('viewer', 'responder', 'editor', 'owner')),
  created_at timestamptz not null,
  primary key (page_id, user_id)
);
create index page_roles_user_id on page_roles (user_id);

create table invitations (
  id uuid primary key,
  page_id uuid references pages,
  email text not null check (email = lower(email) and char_length(email) between 3 and 254),
  role text check (role in ('viewer', 'responder', 'editor', 'owner')),
  token_hash bytea not null constraint invitations_token_unique unique check (octet_length(token_hash) = 32),
  invited_by text not null,
  created_at timestamptz not null,
  expires_at timestamptz not null,
  accepted_at timestamptz,
  revoked_at timestamptz,
  check ((page_id is null) = (role is null))
);
comment on table invitations is 'Links that add a role on a page, or without a page an admin of the installation';
comment on column invitations.invited_by is 'How the person is called who invited, as it was then';
create index invitations_page_id on invitations (page_id, id);

create table reset_links (
  id uuid primary key,
  user_id uuid not null references users on delete cascade,
  token_hash bytea not null constraint reset_links_token_unique unique check (octet_length(token_hash) = 32),
  created_at timestamptz not null,
  expires_at timestamptz not null,
  used_at timestamptz
);
create index reset_links_user_id on reset_links (user_id);

create table setup_links (
  token_hash bytea primary key check (octet_length(token_hash) = 32),
  created_at timestamptz not null,
  expires_at timestamptz not null
);
comment on table setup_links is 'Links that make the first user; all are deleted with it';

create table sign_in_failures (
  subject text primary key,
  window_ends_at timestamptz not null,
  requests integer not null
);
comment on table sign_in_failures is 'Failed sign-ins of an email (hashed) and of a client address, in windows of 15 minutes';

create table user_requests (
  user_id uuid primary key references users on delete cascade,
  window_ends_at timestamptz not null,
  requests integer not null
);
comment on table user_requests is 'Requests to the management API in the minute that began with the first of them';
