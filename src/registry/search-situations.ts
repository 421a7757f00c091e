/**
 * From the words of a situation to the words of a tool: people ask about rain, not for a weather forecast.
 * `a b > c d` leads from left to right only; rules are separated by `;`. Idioms are replaced as a whole, because their own words would mislead.
 * Owns language, not tools: nothing here is written so that one particular catalogue comes out right.
 */

const situations = `
start_project new_project fresh_project > create repository project; database > sql query table
http_call api_call > request network http; stack_overflow other_programmer > question answer programming
instead_of_now not_now later_time tomorrow later cron > schedule; video > recording; paragraph > block text content
help_article help_page faq > help support article; read_most most_read most_visited most_popular > top visited popular
on_photo in_photo in_picture on_picture > face describe image; grep > search query; transition column_to > status
done finished > status complete transition; yaml manifest > apply kubernetes; across_services spend_time > trace span
let_read let_access let_use > permission policy access grant; percent 10 > percentage rollout; colleague_know team_know > status message
straight_to automatically_to sort > filter rule; pick_time choose_time pick_slot > booking link slot
earn earned > payslip salary income; ask_user ask_customer ask_people > survey form question; close opening_hours > hours details
rows > sql statement table; for_minutes expire > ttl expiration set; left shipped gone_out > ship fulfill
lost stolen > block report lost; credit_card debit_card > card; automatically regularly every_month > recurring regular standing
rent > regular payment lease; order_of_stops which_order > route optimize; courier van truck > delivery driver route
put_together assemble > assembly instruction combine; part component > part assembly; seal pump valve bearing > spare part machine
reception signal coverage > network coverage; write_off deduct > deduction deductible
safe_area safe_neighborhood dangerous_area > crime safety; fill_up refuel > fuel petrol station; cheap cheaply cheapest > price compare
called_back > recall; bugs insect aphid > pest plant; tomato rose flower tree > plant; wear > outfit clothing; laugh funny > joke
garbage rubbish trash bin > waste collection; picked_up collected > collection pickup; umbrella keys wallet > lost item
walk_in hike stroll > trail hiking; mountain > hike trail elevation; remote work_from_home securely > vpn
under_water flooding > flood risk; refugee homeless poor cause > charity nonprofit donate; nephew niece present birthday > gift present
office desk workplace > desk; guest reception visitor > visitor badge; work_experience cv resume > resume skill job
gigabyte megabyte > data usage; lights_out power_cut blackout electricity_gone > outage power
channel_tonight on_tv > television tv guide; same_photo twice several_times > duplicate; paperwork form > declaration document
abroad overseas export > customs international wire; faulty defective rejected > scrap defect; flying pilot crew > crew roster flight
broken > defect maintenance repair issue; hole_in_road road_damage > pothole road; couple buyer interested > viewing buyer
anymore unwanted > cancel remove revoke stop; all every > list; shares > stock position portfolio equity
going_on > incident status current; v1 v2 semver > version release tag; namespace > pod kubernetes; readme > file contents repository
fresh > new; paste > snippet gist text; version_control > commit git repository; line_of_development > branch
master main > branch merge; burn > burndown; plate workload > task issue todo; cpu usage ram load > metric usage
shift rota roster > schedule on_call; vault keychain > secret; enqueue > queue message; hits views > traffic visit analytics
setting option preference > configure variable config; speed_up faster optimize > performance index; hit enter_key keyboard > key press
cv > resume file candidate; come_back returning > retention; real_user landing_page > experiment analytics; corpus > dataset data
programmer developer coder > code programming user; fake stub dummy > mock; txt > file text
moderator admin administrator > role permission; bin throw_away > delete trash; mention > search message
freelancer contractor > payout vendor; assets liability > balance_sheet; respondent > survey form response
christmas easter new_year thanksgiving > holiday date; beach coast sea ocean surf wave > tide marine
high_water high_tide low_tide > tide; mountain hill altitude height > elevation; on_time punctual > delay status; serve > menu
lasagna pasta soup cake curry stew salad > recipe food; walk > step; ran jog swim cycle bike > workout; curve > integral plot graph
weird strange odd unusual suspicious > anomaly outlier; expert > analyst recommendation; own > hold position owner
google_something > web search; karaoke instrumental > vocal instrument; play_next > fixture upcoming match
contain inside > content decode inspect extract; oclock clock > time; keep_in_mind note_that > remember fact memory
coin_flip flip_coin toss heads_tails dice lottery > random; development > code branch; attend joined join > participant attendee
today tonight > calendar event current; mine plate > assigned; has_to_pay have_to_pay must_pay > owe receivable unpaid
able_to_open able_to_see can_open can_see may_see may_open > access permission share; see_document see_file see_folder > share access
subdomain ip_address nameserver > dns record; feature > flag; everyone > all
text_him text_her text_my text_them text_me > sms message send; taxi cab > ride car request; study studies > article research literature
glue stitch > merge combine; jpg jpeg gif webp png > image format; insure > insurance quote; reachable respond alive up > ping status
brand > trademark; borrow lend > library; secure strong > password generate
colors matching fit_together go_together > palette pairing match
rain snow sunny umbrella windy cloudy jacket > weather forecast temperature; hot cold warm degree > temperature weather
storm hurricane tornado flood blizzard > alert severe weather warning; polluted allergy pollen > air_quality; sunburn sunscreen > uv
street > address location; far mile kilometer > distance; drive walk > directions distance; airport fly > flight
boarding_pass > check_in; luggage baggage > flight airline; somewhere_to_stay place_to_stay overnight > hotel accommodation
sleep night > hotel sleep; vacation_home > listing; dinner lunch breakfast eat hungry > restaurant food meal
coffee cafe bar pub > restaurant place; pizza burger sushi takeout > food restaurant delivery; cook bake > recipe
egg chicken spinach tomato cheese > ingredient recipe food; banana apple bread > food nutrition; vegan vegetarian gluten > diet recipe
gym jog marathon > workout training fitness; pulse > heart_rate; headache fever cough pain sick ill > symptom health
dermatologist dentist cardiologist pediatrician specialist > doctor
ibuprofen aspirin antibiotic vaccine side_effect dosage > drug medicine; take_together > interaction; pregnant baby > health
scientist researcher > paper research; biography born who_is tell_about > encyclopedia wikipedia summary
kilogram gram pound ounce inch foot meter celsius fahrenheit liter gallon mile kilometer > unit convert measurement
integral derivative algebra > math solve compute; significant > hypothesis test; predict future > forecast
euro dollar yen pound rupee yuan franc peso > currency exchange convert; bitcoin ethereum ether dogecoin > crypto token
apple tesla google microsoft nvidia ticker > stock quote; invest investor > portfolio stock; wealth rich > account balance
inflation gdp unemployment interest_rate > economic indicator; accident crash damaged > claim insurance; insurer > insurance claim
house_worth property_value > estimate value; landlord tenant > rent property; world happening happen > news
french german spanish english chinese japanese italian portuguese korean russian arabic dutch hindi > translate language
typo mistake misspell proofread > grammar spelling check; synonym antonym > thesaurus word
polite tone formal casual > paraphrase rewrite; copied > plagiarism; essay paragraph > text writing
aloud out_loud narrate > speech voice; podcast interview lecture > audio recording transcribe; noisy hiss > noise
draw paint illustrate > image generate; art artwork logo > image design; blurry sharp resolution > upscale quality
sign handwriting scanned printed > ocr text recognize; photograph > photo camera; shrink smaller > compress resize; clip > trim
film_on netflix > stream; jazz rock pop classical band singer > music song play; louder quieter > volume
cinema theater > showtime movie; read author novel > book; football soccer basketball tennis baseball hockey > match team sports score
win won > score result; warmer cooler heating heater > thermostat temperature; lamp kitchen bedroom living_room > light home
dust floor > vacuum clean; parked > locate car; charge electric_car ev > battery charging; post_office stamp > shipping parcel
box > parcel package; chapter lesson > education study; teach teacher learn > course study education; abroad border > visa travel
sky telescope > star planet; magnitude > earthquake; poison toxic > hazard safety; grandfather ancestor family_tree > genealogy record
hacked stolen > breach leak security; antivirus virus malware > malicious scan; wake > alarm; birthday anniversary > event reminder
forget > reminder; shopping_list groceries > grocery todo; chores errand > todo task; busy > calendar available status
everybody_free everyone_free > free slot available; discuss > meeting discussion; colleague coworker teammate > user member team
wife husband mom dad friend brother sister > message contact; boss manager report_to > org employee; resign fired > employee
holiday > time_off public_holiday; out_of_office away > vacation automatic; interviewer > interview candidate
legal lawyer attorney judge > law court legal; precedent ruling lawsuit > court case; sue > legal
party_sign sign_contract > signature envelope; charge pay > payment; money > payment balance; earn > income salary revenue
owe owed unpaid outstanding > receivable invoice overdue; bookkeeping books ledger > accounting reconcile
profitable make_money > profit; monthly recurring every_month > subscription; sold sell > sales order; run_out > inventory stock
buyer shopper > customer order; checkout > order payment; complain complaint angry > support ticket customer
happy satisfied unhappy > satisfaction rating; canned > macro template; opened clicked > campaign open click; audience > subscriber
visit > traffic analytics; google_ranking rank > seo search position; viral > trending; selfie > photo; unfollow > follow
hashtag > post trending; channel say > message; announce > post message; tell_team let_team > message channel; said > message history
troll abuse harassment > ban block; thumbs_up > reaction; inbox > email; feature_request > issue; broken not_working > issue error
crashing crashed > error issue; fail failing failed > error log status; exception > error; who_wrote who_changed > blame author
uncommitted modified unstaged > diff status changes; put_aside > stash; hotfix > branch deploy; approve_pr lgtm > review
changelog > release notes; typecheck lint > code quality; test_suite unit_test > test; tested > coverage; flaky > test build
wake_up on_duty emergency > on_call incident page; site_down down unavailable > incident outage status
escalation > incident acknowledge; slow slowly > performance explain query trace; timeout > latency log; memory_leak cpu ram > metric
more_instances replicas horizontal > scale; credentials api_key > secret token key; passwords_committed leaked > secret leak credential
expire expiration > ttl; temporary_link signed_url > presign; cdn > cache purge; spend bill > cost; visitors country > traffic
rows columns > table; join_tables > query sql; import_csv > load csv; popularity > download stats; button > click
fill_form search_box textbox > type input; looks_like > screenshot; cookies > browser; colors_fonts > design token typography color
svg png > export image; gradual canary > rollout; signup onboarding > funnel conversion
drop_out drop_off abandon > funnel abandoned conversion; neural pretrained sentiment classifier > model machine_learning
epoch > training; rest_endpoint curl > request http api; folder_structure > tree directory; integrity > checksum hash
tarball tar rar archive > unzip extract archive; disk_space > prune storage; big > size; tmp > file
password_protected > protect encrypt; censor black_out hide > redact; json xml yaml csv > format convert; identical > compare diff
unique_id > uuid; diagram flowchart mindmap > diagram; drone > robot; blueprint extrude > cad; print_3d > slice model
chess_move > chess; donate charity > donation; festival gig > concert event ticket; campsite hike > trail; vin license_plate > vehicle
mechanic repair > maintenance vehicle; fuel gas_station petrol > fuel station; parking > parking; crime police > safety report
election candidate_vote > election vote; scripture bible quran > verse; zodiac horoscope > astrology; trivia joke fun > random fact
bird animal species > wildlife species; ship vessel boat > marine vessel; satellite > imagery orbit; okta ldap sso > identity user login
vpn wifi > network; laptop > device; who whom > user person; where > location place; when > time date schedule; buy > order purchase
owns owner > owner registered; responsible > owner on_call assignee; occurrence > find replace; highlight > format color
negative positive > condition sentiment; older > revision history version; outside > weather; stranger public > public access
open_file > access; vote > poll; column list > board list; potential > lead; met > lead contact; sell > sales; happiness > satisfaction
link > url; voucher > coupon discount; receipt > expense; spend > transaction expense; left_without_buying > abandoned cart checkout
mailing > campaign subscriber
`;

const idioms = `
come_in > receive arrive; can_t_travel > cancel; instead_of > replace; tell_me_about > encyclopedia wikipedia summary
what_is_a > encyclopedia definition; write_off > deduct deduction; fill_up > fuel station; called_back > recall
put_together > assemble combine merge; work_from_home > remote vpn; make_me_laugh > joke; throw_away > delete discard scrap
picked_up > collection pickup; don_t_need > cancel remove; don_t_want > cancel remove; not_want > cancel remove
not_need > cancel remove; can_t_come > decline cancel; can_t_make > decline cancel; keep_in_mind > remember fact memory
high_water > tide; get_rid_of > delete remove; look_for > search find; look_up > search lookup; look_at > view read check
looking_for > search find; find_out > get check; figure_out > analyze find; spin_up > create start launch; take_down > stop delete
tear_down > destroy delete; take_care_of > acknowledge assign; how_much > price cost amount balance; how_many > count number statistics
how_often > frequency count trends; how_far > distance; how_long > duration time; how_big > size info; how_hot > temperature weather
how_cold > temperature weather; how_popular > popularity downloads statistics; how_old > age date; what_time > time current
say_no > decline reject respond; say_yes > accept approve respond; let_know > notify message; in_other_words > paraphrase
by_accident > accidentally; come_up > rise; go_through > search; give_back > return refund; at_moment > current now
at_this_moment > current now realtime; at_the_moment > current now realtime; write_down > create note record; fill_in > fill type
fill_out > fill type; similar_to > recommend similar; talk_about > trending topic; hand_over > assign transfer
take_over > apply transfer; where_is > track locate location; where_was > location; free_up > clear prune remove
clean_up > delete prune clear; for_now > later; in_general > overall; add_up > sum total; kick_out > ban remove
make_sure > check verify; keep_eye_on > monitor watch; sign_off > approve; carry_out > run execute; reach_out > send message contact
get_in_touch > send message contact; set_free > release; bring_up > start; put_on_hold > pause; no_longer > remove stop
`;

export const situationRules: readonly string[] = situations.trim().split(/;\s*|\n/);
export const idiomRules: readonly string[] = idioms.trim().split(/;\s*|\n/);
