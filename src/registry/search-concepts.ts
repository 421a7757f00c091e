/**
 * Which words of the tool world stand for each other: the vocabulary of the tool search.
 * Groups are separated by `;`; an underscore joins the words of a phrase. `same` means nearly the same thing, `near` something close.
 * Owns language, not tools: nothing here is written so that one particular catalogue comes out right.
 */

const same = `
get fetch retrieve obtain; show display view; search find lookup look_up seek; create make new; delete remove erase
cancel abort call_off; stop halt; start begin launch; start turn_on switch_on power_on boot
stop turn_off switch_off power_off shut_down shutdown; enable activate turn_on switch_on; disable deactivate turn_off switch_off
run execute; invoke call trigger; update edit change modify alter; rename relabel; replace substitute swap; copy duplicate clone
send deliver transmit dispatch; forward pass_on relay; reply answer respond; publish post; upload put; download pull
merge combine put_together concatenate unite; split divide separate; compare diff difference; check verify validate
analyze examine inspect; calculate compute work_out; summarize condense summary sum_up tldr tl_dr gist digest recap
translate translation; approve accept confirm; reject decline refuse deny turn_down; complete finish mark_done check_off tick_off tick
undo revert rollback roll_back; restore recover bring_back get_back undelete; backup back_up; compress zip
extract unzip unpack decompress uncompress; encrypt encipher; recommend suggest; book reserve reservation booking; buy purchase
login log_in sign_in authenticate; register sign_up enroll; unsubscribe opt_out; mute silence snooze; remind reminder
detect recognize identify; select choose pick; navigate go_to visit; deploy roll_out rollout ship; restart reboot; resize scale
enlarge upscale; configure setup set_up configuration; crawl scrape spider; email mail e_mail; spam junk; sms text_message
call phone telephone phone_call; user account; person people human; customer client; company business organization firm; employee staff
candidate applicant; job position vacancy; salary wage pay; vacation time_off holiday leave pto; meeting conference
video_call video_conference online_meeting; calendar agenda; event appointment; available free availability; participant attendee
transcript transcription; task todo to_do; deadline due_date due; document doc; wiki knowledge_base; spreadsheet sheet excel workbook
chart graph; presentation slides slide_deck deck powerpoint slide; folder directory; revision version; permission access right privilege
password passphrase; contract agreement; law statute legislation; lead prospect potential_customer; invoice bill
refund reimburse money_back; dispute chargeback contest; discount coupon voucher promo_code promotion; supplier vendor; stock inventory
product item; store shop; cart basket; review opinion; rating score; comment remark; advertisement ad ads advertising advert
website site web_site; web_page webpage page; crypto cryptocurrency; exchange_rate currency_rate; bug defect issue ticket
error exception; stack_trace traceback backtrace; repository repo; pull_request pr merge_request mr; code source_code source
package library dependency; vulnerability weakness security_hole cve; malicious dangerous harmful phishing; leak breach data_breach
ci continuous_integration; production prod; log logs logging; incident outage; on_call on_duty; metric metrics
virtual_machine vm instance; kubernetes k8s; container docker; serverless lambda cloud_function; environment_variable env_var
database db; url link hyperlink; screenshot screen_capture screen_shot; dropdown drop_down; regex regular_expression regexp
hash checksum digest; uuid guid; feature_flag feature_toggle; machine_learning ml; mockup wireframe; color colour; weather forecast
air_quality pollution smog; coordinate latitude longitude; near nearby; directions route; taxi cab; car vehicle automobile
train railway rail; bus coach; subway metro underground tube; flight plane airplane airfare; hotel accommodation lodging; apartment flat
restaurant eatery; recipe dish; calorie kcal; workout exercise training; doctor physician; drug medicine medication pill
disease illness; paper article publication; encyclopedia wikipedia; math mathematics; average mean; outlier anomaly; news headline
grammar spelling; typo misspelling spelling_mistake; definition meaning; paraphrase rephrase reword rewrite; speech voice
text_to_speech tts read_aloud; transcribe speech_to_text dictation; picture image photo photograph; video clip; movie film
subtitle caption; song track tune; music song; light lamp bulb; parcel package shipment; carrier courier; quiz test exam
homework assignment; earthquake quake seismic; current right_now now; latest newest recent; remember memorize; statistics stats
schedule timetable; address location; price cost; fare price; amount quantity sum; house home; terminal shell; bash shell command
cmd command; str string; doc document; info information details; delay late; percentage percent; picture pic
`;

const near = `
merge join; latest last past; subscribe sign_up register add; get read load receive pull view show see; get list show
list show enumerate browse display; search query discover locate explore filter browse; search list
create add build generate open produce; create insert register define compose draft establish; create file open
add append attach insert include put enter; write create compose draft; write edit; delete drop destroy clear purge wipe discard trash
remove take_away take_off strip; cancel terminate withdraw revoke void; stop end pause suspend cancel abort; pause suspend hold
run trigger start; update set adjust patch revise correct; set change; move transfer shift relocate; move rename
reschedule update move postpone; copy fork replicate; send post publish share submit; share grant invite; share send; reply comment
announce publish post; release publish; upload store save attach push; download get save export; import load ingest upload
export save convert; convert transform turn change; convert translate; split cut; extract get parse recognize read; test try run
monitor watch observe track; track follow trace locate; calculate estimate evaluate; estimate predict forecast value; count number total
explain describe; assign delegate hand; close resolve complete; resolve fix solve; archive stash shelve put_aside set_aside
snapshot backup; compress shrink reduce smaller optimize; protect encrypt lock secure; decode parse; encode encrypt; order sort rank
group cluster segment categorize classify; plan schedule organize arrange; schedule book arrange; buy order; hire recruit onboard
subscribe follow; connect link attach; ban kick block expel; escalate page alert; notify alert inform; warn alert; scan check detect
click press tap push; type enter fill; fill complete; draw sketch plot render illustrate paint; capture take record
record log register track; play stream; install update; raise increase; lower decrease reduce; grade mark score evaluate; message chat
message text; message post; chat conversation thread; conversation discussion; channel room group; mail message inbox; mailbox inbox
letter mail; voice audio; emoji reaction; newsletter campaign mailing_list email; subscriber audience member; poll vote survey
survey form questionnaire; user member person; contact person; contact lead customer; team group; job role; resume candidate
salary payslip payroll income; earnings income revenue; meeting call; meeting event appointment; calendar schedule event
invite invitation; recording transcript; note notes memo; task item; task issue card; card ticket; project board; checklist todo
sprint iteration cycle; story issue; timesheet hours worklog time_tracking; timer time; document file; document page; table spreadsheet
table database; row record; column field; chart plot visualization; diagram chart; history log; history past previous historical
secret credential key token; credential password; clause term; case court; deal opportunity; revenue sales; profit revenue
receipt expense; expense cost spending; spending cost budget; price rate fee quote; price value; quote estimate
subscription plan membership; payment transaction; payment pay charge; transaction transfer; balance fund; warehouse inventory
order purchase checkout; fulfill ship; support help; support_ticket ticket; satisfaction rating; review rating feedback
comment feedback; campaign advertisement; traffic visitor analytics; visitor user; keyword seo; backlink link; follower subscriber
tweet post; trending popular hot trend; popular top; loan mortgage; share stock; share equity; portfolio investment holding position
coin token; wallet address; currency exchange money; policy insurance; claim damage; error crash failure; crash fail
problem issue error; commit change revision; blame author; function method; script code; security vulnerability
pipeline workflow build job; deploy release publish; release version tag; staging preview; output log; alert monitor alarm
alert warning; dashboard report; report summary; latency performance speed; slow performance; server host machine; node machine
instance machine server; pod container; cluster kubernetes; bucket storage; object file; queue message; topic channel; dns domain
domain host; certificate ssl; cache cdn; firewall rule block; infrastructure resource; schema structure; schema column; sql query
sql database; query statement; api endpoint; api http request; webhook event; web internet online; browser page web; element button
option menu; variable env; experiment ab_test; funnel conversion; retention churn; model network; dataset data; prediction inference
design mockup layout; font typography; component element; test coverage; quality smell; directory path; size space; tree structure
automation workflow; device sensor; 3d model; temperature weather; temperature heat; alert severe; place location; place venue
position location; travel trip journey; ride trip; departure leave; ticket flight; room hotel; apartment house listing; rent rental
property real_estate house; food meal; food restaurant; menu food; ingredient recipe; cook recipe; nutrition calorie; diet nutrition
doctor clinic hospital; appointment doctor; prescription drug; symptom condition; diagnosis condition; study research; study article
literature article; equation formula; word dictionary; text writing; audio sound; audio recording; camera photo; video movie
series movie; stream watch; cut trim; frame picture; redact hide; lyrics song; artist song; playlist song; match game; league match
standings table; thermostat temperature; charge battery; electricity energy power; shipping delivery parcel; tracking track
course class; student course; sun sunrise; star planet; field crop; chemical compound molecule substance; gene protein dna
hazard danger; memory knowledge; fact knowledge; fund investment; tax income; donation charity; concert event ticket; trail hike
recipe food; flashcard study; quote citation; joke humor; patent trademark; museum art; satellite imagery; log history; device machine
group team; bookmark favorite star; folder label; label tag; tag category; attachment file; signature sign; image container
workflow automation; identity user; role permission; session login; queue job; worker job; backup snapshot; region zone; volume disk
disk storage; network connection; router network; ip address host; port network; printer print; balance account; card account
branch fork; environment stage
`;

export const sameGroups: readonly string[] = same.trim().split(/;\s*|\n/);
export const nearGroups: readonly string[] = near.trim().split(/;\s*|\n/);
