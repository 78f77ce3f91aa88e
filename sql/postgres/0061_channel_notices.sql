-- Mail to the owners of a page when a channel of the team does not take a message.

-- An instance of the previous version cannot compose such a notice: its attempt fails, and the notice is tried again.
alter table channels add column owners_told_at timestamptz;
comment on column channels.owners_told_at is 'When the owners of the page last got an email about a message that was given up';
