-- Who gets emails about what fails for good.

alter table pages
  add column owner_emails text[] not null default '{}' check (cardinality(owner_emails) <= 5);
comment on column pages.owner_emails is 'In lower case. They get notices of failures that only the people who run the page can fix';
