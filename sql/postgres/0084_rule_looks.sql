-- An instance that was suspended between reading figures and using them must not undo what another one found since.

alter table rules add column looked_to timestamptz;
comment on column rules.looked_to is 'The newest minute whose look changed something; a look at an older one decides nothing';
