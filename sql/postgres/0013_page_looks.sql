-- What a page looks like: its colour, its links at the bottom and its logo.

alter table pages
  add column accent text check (accent ~ '^#[0-9a-f]{6}$'),
  add column footer_links jsonb not null default '[]' check (
    case when jsonb_typeof(footer_links) = 'array' then jsonb_array_length(footer_links) <= 8 else false end);
comment on column pages.accent is 'Colour of links and buttons; null for the usual one';
comment on column pages.footer_links is '[{"label", "url"}, …] in the order of the page; http, https and mailto only';

create table page_logos (
  page_id uuid primary key references pages on delete cascade,
  bytes bytea not null check (octet_length(bytes) between 1 and 102400),
  media_type text not null check (media_type in ('image/png', 'image/jpeg', 'image/gif', 'image/webp', 'image/svg+xml')),
  hash text not null check (hash ~ '^[0-9a-f]{32}$')
);
comment on table page_logos is 'Logos, beside the pages so that whoever reads a page does not read its logo';
comment on column page_logos.media_type is 'As the bytes say, whatever name or header they came with';
comment on column page_logos.hash is 'Start of their SHA-256, in the address of the logo: another logo has another address';
