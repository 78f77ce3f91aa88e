-- A text that is translated is stored once. Each of up to 49 languages held a copy of it.

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

-- Rewrites the table, which gives the room of the copies back at once.
alter table translations
  alter column source_text drop not null,
  alter column source_text type text using null::text;
comment on column translations.source_hash is 'SHA-256 of the text in UTF-8, which is in translation_sources';
comment on column translations.source_text is 'The text, in rows that an instance of an earlier version adds during an upgrade; null in all others';
