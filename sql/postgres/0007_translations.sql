-- Texts of incidents in the other languages of their page. A translation belongs to a text, not to an incident: an edited text
-- is another text, so a late answer for the old one cannot overwrite anything, and an edit that is taken back finds
-- its translations again.

create table translations (
  page_id uuid not null references pages,
  source_hash bytea not null check (octet_length(source_hash) = 32),
  source_language text not null,
  language text not null,
  source_text text not null,
  text text,
  attempts integer not null default 0,
  next_attempt_at timestamptz not null,
  claimed_until timestamptz,
  reason text,
  created_at timestamptz not null,
  translated_at timestamptz,
  primary key (page_id, source_hash, source_language, language),
  check ((text is null) = (translated_at is null))
);
comment on column translations.source_hash is 'SHA-256 of source_text in UTF-8';
comment on column translations.text is 'null until the provider has answered';
comment on column translations.attempts is 'Failed ones; after the last pause of the usual ones it is tried once a day';
comment on column translations.claimed_until is 'An instance is at it; after that time it is taken to have died';
comment on column translations.reason is 'Of the last failure, for the operator; null once it is translated';
create index translations_due on translations (page_id, next_attempt_at) where text is null;
