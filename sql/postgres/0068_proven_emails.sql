-- An email belongs to the holder of an account once a link that was mailed to it was used, or an identity provider vouches for it.

-- Accounts of earlier versions stay as they are: nobody loses a password or an authenticator app to a link in an email.
-- The default is for them, without a rewrite of the table, and for instances of earlier versions that still run and make
-- accounts. This version always writes the column.
alter table users add column email_proven_at timestamptz default now();
comment on column users.email_proven_at is 'When the email was first proved to be the holder''s; null while the account was made by a link that others have seen too';

alter table invitations add column mailed_token_hash bytea
  constraint invitations_mailed_token_unique unique check (octet_length(mailed_token_hash) = 32);
comment on column invitations.token_hash is 'SHA-256 of the token that the inviter is shown; it proves no email';
comment on column invitations.mailed_token_hash is 'SHA-256 of the token that only the invited address gets; null when nothing was mailed';

alter table reset_links add column is_mailed boolean not null default false;
comment on column reset_links.is_mailed is 'Whether the token was mailed to the person and shown to nobody, and so proves the email';
