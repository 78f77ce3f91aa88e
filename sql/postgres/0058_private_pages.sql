-- Pages that not everybody may read.

alter table pages
  add column is_private boolean not null default false,
  add column allowed_addresses text[] not null default '{}',
  add column reader_password jsonb;
comment on column pages.is_private is 'Only those may read it who know the password, come from an allowed address, or are signed in and may read the page';
comment on column pages.allowed_addresses is 'Addresses and networks such as 10.0.0.0/8 whose clients may read a private page';
comment on column pages.reader_password is 'Hash, salt and cost of scrypt, the first two in base64; null without a password';
