-- A text that is translated is stored once. Each of up to 49 languages held a copy of it.

-- An instance of the previous version may be writing. What it commits before these locks is copied below; without them,
-- a row could be committed after the copy and have no source. Writers lock pages before translations, too.
lock table pages in share row exclusive mode;
lock table translations in access exclusive mode;

create table translation_sources (
  page_id uuid not null references pages,
  hash bytea not null check (octet_length(hash) = 32),
  text text not null,
  primary key (page_id, hash)
);
comment on table translation_sources is 'Texts in the default language of the page, as long as they have translations or wait for them';
comment on column translation_sources.hash is 'SHA-256 of the text in UTF-8';

insert into translation_sources (page_id, hash, text)
select distinct on (page_id, source_hash) page_id, source_hash, source_text from translations
order by page_id, source_hash;

-- Rows from before keep their copy: the daily job of an instance of the previous version deletes rows older than 30 days
-- whose source_text the page does not show, so it would delete every such row without one.
alter table translations alter column source_text drop not null;
comment on column translations.source_hash is 'SHA-256 of the text in UTF-8, which is in translation_sources';
comment on column translations.source_text is 'The text, in rows that an earlier version added; null in all others';
