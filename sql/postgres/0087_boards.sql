-- Boards of pages: tiles with figures, and links by which others read one.

create table boards (
  id uuid primary key,
  page_id uuid not null references pages,
  slug text not null check (slug ~ '^[a-z0-9]+(-[a-z0-9]+)*$' and char_length(slug) <= 60),
  name text not null,
  description text not null,
  range text not null check (range ~ '^[1-9][0-9]{0,3}[mhd]$'),
  variables jsonb not null check (jsonb_typeof(variables) = 'object'),
  tiles jsonb not null check (jsonb_typeof(tiles) = 'array'),
  created_at timestamptz not null,
  updated_at timestamptz not null,
  unique (page_id, slug)
);
comment on table boards is 'Tiles with figures of a page, side by side';
comment on column boards.range is 'The usual time range up to now, such as 24h';
comment on column boards.variables is '{"service": {"initial": text}, …}: what a reader chooses; figures name it as {service}';
comment on column boards.tiles is 'In the order of the file; a tile has one source: a shared query by its id, a statement, a figure or a text';

create table board_shares (
  id uuid primary key,
  page_id uuid not null references pages,
  board_id uuid not null references boards on delete cascade,
  name text not null,
  token_hash bytea not null unique,
  expires_at timestamptz,
  created_at timestamptz not null,
  created_by_type text not null,
  created_by_id text not null,
  created_by_name text not null
);
comment on table board_shares is 'Links by which anybody who has one reads a board';
comment on column board_shares.token_hash is 'SHA-256 of the token, which is shown once';
comment on column board_shares.expires_at is 'From when on the link opens nothing; null for never';
create index board_shares_board on board_shares (board_id);
create index board_shares_page on board_shares (page_id);
