-- A page that was deleted keeps its row, and the rows of its keys: instances learn from them that the keys have stopped.

alter table pages
  add column deleted_at timestamptz,
  add column rows_removed_at timestamptz;
comment on column pages.deleted_at is 'The page was deleted; its slug and host name are free, and nothing shows or runs it';
comment on column pages.rows_removed_at is 'When the job remove-pages has last removed every row that names the deleted page';
create index pages_deleted_at on pages (deleted_at) where deleted_at is not null;
