-- When reporters said goodbye, and which of them people want to see no more.

-- An instance of the previous version writes neither: its reporters fall silent as before.
alter table sources add column stopped_at timestamptz, add column forgotten_at timestamptz;
comment on column sources.stopped_at is 'When the reporter last said that it stops; it runs again once it has reported later';
comment on column sources.forgotten_at is 'When a person removed it from the lists; it comes back once it has reported later';
